unsigned mix(unsigned n)
{
    unsigned i, s = 0;

    for (i = 0; i < n; i++)
        s = s * 7 + i % 10;
    return s;
}
