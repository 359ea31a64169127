unsigned product(unsigned a, unsigned b)
{
    return a * b;
}
