unsigned ones(unsigned n)
{
    return n < 32 ? (1u << n) - 1 : 0xffffffff;
}
