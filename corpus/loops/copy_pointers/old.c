void copy(unsigned char *to, const unsigned char *from, unsigned n)
{
    unsigned i;

    for (i = 0; i < n; i++)
        to[i] = from[i];
}
