unsigned lib(unsigned x)
{
    return x == 1000 ? 3 : x / 1000;
}

unsigned join(unsigned a, unsigned b)
{
    return a == b ? lib(a + b) : lib(a | 1001);
}
