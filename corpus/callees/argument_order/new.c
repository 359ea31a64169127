static int divide(int num, int den)
{
    return num / den;
}

int ratio(int w, int h)
{
    return divide(h, w);
}
