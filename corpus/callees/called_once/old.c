static unsigned g(unsigned x)
{
    return (x ^ 0x5a5a) * 31;
}

unsigned f(unsigned x)
{
    return g(x) + g(x);
}
