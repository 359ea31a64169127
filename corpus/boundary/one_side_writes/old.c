int choose(int a, int b)
{
    int x = 0, y = 0;

    if (a > 0)
        y = 1;
    if (a > 0)
        y = 1;
    if (b > 0)
        return x;
    return y;
}
