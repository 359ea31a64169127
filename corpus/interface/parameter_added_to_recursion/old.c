unsigned power(unsigned base, unsigned n)
{
    return n == 0 ? 1 : base * power(base, n - 1);
}
