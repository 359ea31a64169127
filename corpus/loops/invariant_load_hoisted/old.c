void add_all(unsigned char *v, unsigned n, const unsigned char *k)
{
    unsigned i;

    for (i = 0; i < n; i++)
        v[i] += *k;
}
