void add_all(unsigned char *v, unsigned n, int k)
{
    unsigned i;
    unsigned char by = (unsigned char)(k * 3);

    for (i = 0; i < n; i++)
        v[i] = (unsigned char)(v[i] + by);
}
