unsigned table(unsigned char n)
{
    unsigned i, j, s = 0;

    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            s += i ^ j;
    return s;
}
