int fib(int n, int mode)
{
    int results = 0;

    if (n < 1)
        return 0;
    if (n == 1 || n == 2)
        return 2;
    if (mode)
        results = fib(n - 2, !mode) + fib(n - 2, !mode) + fib(n - 3, !mode);
    if (!mode)
        results = fib(n - 1, !mode) + fib(n - 2, !mode);
    return results;
}
