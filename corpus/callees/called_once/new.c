static unsigned g(unsigned x)
{
    return (x ^ 0x5a5a) * 31;
}

unsigned f(unsigned x)
{
    unsigned y = g(x);
    return y * 2;
}
