unsigned triangular(unsigned n)
{
    if (n == 0)
        return 0;
    return n + triangular(n - 1);
}
