int area(int w, int h)
{
    return h * w;
}
