int sum(const int *v, int n)
{
    int i, s = 0;

    for (i = 0; i < n - 1; i++)
        s += v[i];
    if (n > 0)
        s += v[n - 1];
    return s;
}
