unsigned powers(unsigned n)
{
    unsigned i, s = 0;

    for (i = 0; i < n; i++)
        s += 1u << i;
    return s;
}
