int sum_but(const int *v, int n, int k)
{
    int i, s = 0;

    for (i = 0; i < n && i != k; i++)
        s += v[i];
    if (i < n)
        i++;
    for (; i < n; i++)
        s += v[i];
    return s;
}
