unsigned triangle(unsigned n)
{
    return n * (n - 1) / 2;
}
