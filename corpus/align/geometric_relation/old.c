unsigned check(unsigned n)
{
    unsigned i, s = 0;

    for (i = 0; i < n; i++)
        s = 5 * s + 1;
    return 4 * s;
}
