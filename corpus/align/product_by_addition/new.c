unsigned product(unsigned a, unsigned n)
{
    return a * n;
}
