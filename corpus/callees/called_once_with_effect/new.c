unsigned calls;

static unsigned g(unsigned x)
{
    calls++;
    return x * 31;
}

unsigned f(unsigned x)
{
    unsigned y = g(x);
    return y * 2;
}
