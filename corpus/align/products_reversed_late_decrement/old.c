unsigned mix(unsigned n, unsigned k)
{
    unsigned i, s = 0;

    for (i = 0; i < n; i++)
        s += (i ^ k) * i;
    return s;
}
