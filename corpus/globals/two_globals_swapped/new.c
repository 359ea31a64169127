int front_page, back_page;

void flip(void)
{
    int t = front_page;
    front_page = back_page;
    back_page = t;
}
