static unsigned row(unsigned x, unsigned n)
{
    unsigned j, s = 0;

    for (j = 0; j < n; j++)
        s += x ^ j;
    return s;
}

unsigned table(unsigned char n)
{
    unsigned i, s = 0;

    for (i = 0; i < n; i++)
        s += row(i, n);
    return s;
}
