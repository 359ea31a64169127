int fib(int n)
{
    int r1, r2, r3;

    if (n < 1)
        return 0;
    if (n == 1 || n == 2)
        return 1;
    r1 = fib(n - 1);
    r2 = fib(n - 2);
    r3 = fib(n - 3);
    if (n % 2 == 0)
        return r2 + r3 + r3;
    return r1 + r2;
}
