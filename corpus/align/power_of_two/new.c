unsigned long power(unsigned char n)
{
    return n < 64 ? 1ul << n : 0;
}
