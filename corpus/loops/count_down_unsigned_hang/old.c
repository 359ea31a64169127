unsigned sum(unsigned n)
{
    unsigned i, s = 0;

    for (i = n; i > 0; i--)
        s += i;
    return s;
}
