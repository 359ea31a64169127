int sum(const int *v, int n)
{
    int i, s = 0;

    if (n <= 0)
        return 0;
    for (i = 0; i < n - 1; i++)
        s += v[i];
    return s + v[n - 1];
}
