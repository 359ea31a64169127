int pascal(int n, int m)
{
    if (m < 1 || n < 1 || m > n)
        return 0;
    if (m == 1 || n == 1 || m == n)
        return 1;
    return pascal(n - 1, m - 1) + pascal(n - 2, m - 1) + pascal(n - 3, m);
}
