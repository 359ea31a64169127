int fib(int n, int mode)
{
    int results = 0;

    if (n < 1)
        return 0;
    if (n == 1 || n == 2)
        return 1;
    if (mode)
        results = fib(n - 2, !mode) + fib(n - 2, !mode) + fib(n - 4, !mode);
    if (!mode)
        results = fib(n - 1, !mode) + fib(n - 2, !mode);
    return results;
}
