unsigned total(unsigned short n)
{
    unsigned i, s = 0;

    for (i = 0; i < n; i++)
        s = s * 31 + i;
    return s;
}
