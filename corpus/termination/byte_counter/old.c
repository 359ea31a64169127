int count(unsigned char n)
{
    int i, c = 0;

    for (i = 0; i < n; i++)
        c += 3;
    return c;
}
