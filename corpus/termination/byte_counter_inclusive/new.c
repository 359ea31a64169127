int count(unsigned char n)
{
    unsigned char i;
    int c = 0;

    for (i = 0; i <= n; i++)
        c += 3;
    return c;
}
