unsigned moves(unsigned n)
{
    return (1u << n) - 1;
}
