int m(int n, int k)
{
    if (n <= 0)
        for (;;)
            k = 0;
    return m(n - 1, 0) - m(n - 1, 1);
}
