void histogram(unsigned *count, const unsigned char *p, unsigned n)
{
    unsigned i;

    for (i = 0; i < n; i++)
        count[p[i]]++;
}
