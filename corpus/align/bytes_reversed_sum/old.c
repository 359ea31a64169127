unsigned sum(const unsigned char *v, unsigned short n)
{
    unsigned i, s = 0;

    for (i = 0; i < n; i++)
        s += v[i];
    return s;
}
