unsigned pairs(unsigned char n)
{
    unsigned i, j, c = 0;

    for (i = 0; i < n; i++)
        for (j = i; j < n; j++)
            c++;
    return c;
}
