unsigned triangular(unsigned n)
{
    return (unsigned)((unsigned long)n * (n + 1UL) / 2);
}
