unsigned triangle(unsigned n)
{
    return n == 0 ? 0 : (unsigned long)n * (n - 1) / 2;
}
