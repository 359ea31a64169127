unsigned triangle(unsigned n)
{
    unsigned i, s = 0;

    for (i = 0; i < n; i++)
        s += i;
    return s;
}
