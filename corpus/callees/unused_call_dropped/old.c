static unsigned half(unsigned a)
{
    return a / 2;
}

unsigned f(unsigned x)
{
    (void)half(x);
    return x;
}
