int f(unsigned char b)
{
    return b & 15;
}
