unsigned count(unsigned n)
{
    unsigned char i;
    unsigned c = 0;

    for (i = 0; i < n; i++)
        c += 2;
    return c;
}
