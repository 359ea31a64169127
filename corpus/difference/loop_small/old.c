int f(int n)
{
    int i, s = 0;

    if (n > 6)
        n = 6;
    for (i = 1; i <= n; ++i)
        s += i;
    return s;
}
