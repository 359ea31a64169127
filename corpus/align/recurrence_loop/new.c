unsigned moves(unsigned char n)
{
    unsigned m = 0;

    while (n-- > 0)
        m += m + 1;
    return m;
}
