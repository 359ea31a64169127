int f(int a, int b)
{
    if (b < 0)
        return -2;
    if (a < 0)
        return -1;
    return 0;
}
