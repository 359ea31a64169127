int dot(const int *a, const int *b, int n)
{
    int i, s = 0;

    for (i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}
