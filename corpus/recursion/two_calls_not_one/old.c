int m(int n, int k)
{
    if (n <= 0)
        return k;
    return m(n - 1, 0) - m(n - 1, 1);
}
