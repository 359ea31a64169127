int f(unsigned x)
{
    return (x ^ x >> 1) & 1;
}
