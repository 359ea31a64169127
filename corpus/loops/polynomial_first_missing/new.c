unsigned poly(unsigned x, unsigned char n)
{
    unsigned s = 0;
    int k;

    for (k = n; k > 1; k--)
        s = s * x + (unsigned)k;
    return s;
}
