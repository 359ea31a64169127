void fill(unsigned char *p, unsigned char c, unsigned short n)
{
    unsigned i;

    for (i = 0; i < n; i++)
        p[i] = c;
}
