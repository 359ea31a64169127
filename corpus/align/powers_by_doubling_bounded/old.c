unsigned powers(unsigned n, unsigned k)
{
    unsigned i, s = 0;

    for (i = 0; i < n && i < 32; i++)
        s ^= (1u << i) * k;
    return s;
}
