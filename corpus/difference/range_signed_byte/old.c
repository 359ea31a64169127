int f(unsigned char b)
{
    return b;
}
