unsigned iterations(unsigned n)
{
    unsigned i, c = 0;

    for (i = 0; i < n; i += 3)
        c++;
    return c;
}
