unsigned parity(const unsigned *v, unsigned n)
{
    unsigned i, x = 0;

    for (i = 0; i < n; i++)
        x ^= v[i];
    return x;
}
