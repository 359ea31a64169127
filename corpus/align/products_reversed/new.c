unsigned mix(unsigned n, unsigned k)
{
    unsigned s = 0;

    while (n-- > 0)
        s += (n ^ k) * n;
    return s;
}
