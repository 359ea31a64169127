int fib(int n)
{
    if (n < 1)
        return 0;
    if (n <= 2)
        return 1;
    if (n <= 4)
        return n - 1;
    return 3 * fib(n - 3) + 2 * fib(n - 4);
}
