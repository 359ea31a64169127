int area(int w, int h, int unused)
{
    return w * h;
}
