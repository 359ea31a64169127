void add_all(unsigned char *v, unsigned n, const unsigned char *k)
{
    unsigned i;
    unsigned char by;

    if (n == 0)
        return;
    by = *k;
    for (i = 0; i < n; i++)
        v[i] += by;
}
