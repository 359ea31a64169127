int perimeter(int w, int h)
{
    return 2 * (w + h);
}

int area(int w, int h)
{
    return w * h;
}
