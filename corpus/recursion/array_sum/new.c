unsigned sum(const unsigned char *v, unsigned n)
{
    unsigned s = 0;

    while (n-- > 0)
        s += v[n];
    return s;
}
