unsigned mix(unsigned n)
{
    unsigned i, s = 0;

    for (i = 0; i < n; i++)
        s = (s << 1) ^ i * i;
    return s;
}
