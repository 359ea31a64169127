unsigned moves(unsigned n)
{
    if (n == 0)
        return 0;
    return moves(n - 1) + 1 + moves(n - 1);
}
