unsigned char f(unsigned char n)
{
    return n > 51 ? 255 : n * 5;
}
