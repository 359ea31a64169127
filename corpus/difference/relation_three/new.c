int f(int a, int b, int c)
{
    if (a <= b && b <= c)
        return b;
    return 0;
}
