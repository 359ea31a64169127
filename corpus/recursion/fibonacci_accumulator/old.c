static unsigned go(unsigned n, unsigned a, unsigned b)
{
    return n == 0 ? a : go(n - 1, b, a + b);
}

unsigned fib(unsigned n)
{
    return go(n, 0, 1);
}
