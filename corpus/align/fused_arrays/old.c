void scale(int *restrict a, const int *restrict b, int *restrict c, unsigned n)
{
    unsigned i;

    for (i = 0; i < n; i++)
        a[i] = b[i] + 1;
    for (i = 0; i < n; i++)
        c[i] = a[i] * 2;
}
