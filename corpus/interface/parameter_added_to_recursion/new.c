unsigned power(unsigned base, unsigned n, unsigned trace)
{
    unsigned rest;

    if (n == 0)
        return 1;
    rest = power(base, n - 1, trace + 1);
    return rest * base;
}
