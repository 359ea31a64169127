unsigned char check(const unsigned char *p, unsigned n)
{
    unsigned char c = 0;
    unsigned i;

    for (i = 0; i < n; i++)
        c ^= p[i];
    return c;
}
