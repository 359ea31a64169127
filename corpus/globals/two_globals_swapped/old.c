int front_page, back_page;

void flip(void)
{
    front_page = front_page + back_page;
    back_page = front_page - back_page;
    front_page = front_page - back_page;
}
