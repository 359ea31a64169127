unsigned f(unsigned n)
{
    return n / 2;
}
