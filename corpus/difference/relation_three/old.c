int f(int a, int b, int c)
{
    if (a <= b && b <= c)
        return b;
    if (c <= b && b <= a)
        return b;
    return 0;
}
