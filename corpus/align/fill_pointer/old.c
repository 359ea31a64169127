void fill(int *v, unsigned n, int x)
{
    unsigned i;

    for (i = 0; i < n; i++)
        v[i] = x;
}
