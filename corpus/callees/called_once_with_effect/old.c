unsigned calls;

static unsigned g(unsigned x)
{
    calls++;
    return x * 31;
}

unsigned f(unsigned x)
{
    return g(x) + g(x);
}
