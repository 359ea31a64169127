unsigned odd_sum(unsigned n)
{
    unsigned i, s = 0;

    for (i = 0; i < n; i++)
        s += 2 * i + 1;
    return s;
}
