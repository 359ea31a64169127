unsigned f(unsigned n)
{
    return n / 2 + (n & 1);
}
