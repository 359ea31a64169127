unsigned long power(unsigned char n)
{
    return n < 64 ? 1 << n : 0;
}
