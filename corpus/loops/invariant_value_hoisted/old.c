void add_all(unsigned char *v, unsigned n, int k)
{
    unsigned i;

    for (i = 0; i < n; i++)
        v[i] += (unsigned char)(k * 3);
}
