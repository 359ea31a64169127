unsigned pow3(unsigned n)
{
    unsigned i, p = 1;

    for (i = 0; i < n; i++)
        p *= 3;
    return p;
}
