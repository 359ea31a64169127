unsigned long bytes(unsigned n)
{
    n = n % 16 + 1;
    short v[n];
    return sizeof v;
}
