int f(int a, int b)
{
    if (a < 0)
        return -1;
    if (b < 0)
        return -2;
    return 0;
}
