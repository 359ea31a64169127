unsigned iterations(unsigned n)
{
    return n / 3 + (n % 3 != 0);
}
