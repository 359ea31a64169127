unsigned pairs(unsigned short n)
{
    unsigned i, s = 0;

    for (i = 1; i < n; i++)
        s += i * (i - 1) / 2;
    return s;
}
