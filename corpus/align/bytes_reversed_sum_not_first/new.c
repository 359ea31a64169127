unsigned sum(const unsigned char *v, unsigned short n)
{
    unsigned s = 0;
    int i;

    for (i = n - 1; i > 0; i--)
        s += v[i];
    return s;
}
