int cell(double x)
{
    int t;

    if (!(x > -1000 && x < 1000))
        return 0;
    t = (int)x;
    return t > x ? t - 1 : t;
}
