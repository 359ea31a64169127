unsigned remainder_of(unsigned a, unsigned b)
{
    while (a >= b)
        a -= b;
    return a;
}
