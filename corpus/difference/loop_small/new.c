int f(int n)
{
    int i, s = 0;

    if (n > 5)
        n = 5;
    for (i = 1; i <= n; ++i)
        s += i;
    return s;
}
