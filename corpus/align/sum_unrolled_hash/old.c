unsigned hash(const unsigned char *v, unsigned n)
{
    unsigned i, s = 0;

    for (i = 0; i < n; i++)
        s = s * 31 + v[i];
    return s;
}
