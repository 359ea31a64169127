unsigned moves(unsigned char n)
{
    return n == 0 ? 0 : 2 * moves(n - 1) + 1;
}
