unsigned long power(unsigned char n)
{
    unsigned long p = 1;

    for (; n > 0; n--)
        p += p;
    return p;
}
