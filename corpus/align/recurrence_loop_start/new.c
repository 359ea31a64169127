unsigned moves(unsigned char n)
{
    unsigned m = 1;

    while (n-- > 0)
        m += m + 1;
    return m;
}
