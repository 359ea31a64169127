int area(int w, int h)
{
    int a, border;

    border = 2;
    a = (w + border) * (h + border);
    return a;
}
