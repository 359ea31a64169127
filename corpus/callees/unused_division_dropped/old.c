static unsigned quotient(unsigned a, unsigned b)
{
    return a / b;
}

unsigned f(unsigned x, unsigned y)
{
    (void)quotient(x, y);
    return x;
}
