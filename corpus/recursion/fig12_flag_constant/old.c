int fib(int n, int flag)
{
    if (n < 1)
        return 0;
    if (n == 1)
        return 1;
    return fib(n - 1, !flag) + fib(n - 2, !flag);
}
