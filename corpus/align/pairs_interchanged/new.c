unsigned pairs(unsigned char n)
{
    unsigned i, j, s = 0;

    for (j = 0; j < n; j++)
        for (i = j; i < n; i++)
            s += i * 3 ^ j;
    return s;
}
