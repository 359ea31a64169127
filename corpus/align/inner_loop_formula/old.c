unsigned pairs(unsigned short n)
{
    unsigned i, j, s = 0;

    for (i = 0; i < n; i++)
        for (j = 0; j < i; j++)
            s += j;
    return s;
}
