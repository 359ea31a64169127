unsigned remainder_of(unsigned a, unsigned b)
{
    return b == 0 ? a : a % b;
}
