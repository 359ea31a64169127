unsigned char f(unsigned char n)
{
    return n * 5;
}
