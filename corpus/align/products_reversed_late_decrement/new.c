unsigned mix(unsigned n, unsigned k)
{
    unsigned s = 0;

    for (; n > 0; n--)
        s += (n ^ k) * n;
    return s;
}
