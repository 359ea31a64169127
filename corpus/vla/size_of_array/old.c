unsigned long bytes(unsigned n)
{
    n = n % 16 + 1;
    return n * sizeof(short);
}
