int contains(const int *v, unsigned n, int x)
{
    unsigned i;

    for (i = 0; i < n; i++)
        if (v[i] == x)
            return 1;
    return 0;
}
