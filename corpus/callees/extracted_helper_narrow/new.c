static unsigned char triple(unsigned x)
{
    return (unsigned char)(x * 3);
}

unsigned cost(unsigned short a, unsigned short b)
{
    return triple(a) + triple(b);
}
