void accumulate(int *v, unsigned n)
{
    unsigned i;

    for (i = 1; i < n; i++)
        v[i] += v[i - 1];
}
