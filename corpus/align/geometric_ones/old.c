unsigned ones(unsigned n)
{
    unsigned s = 0;

    while (n-- > 0)
        s = 2 * s + 1;
    return s;
}
