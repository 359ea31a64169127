int f(unsigned char a, unsigned char b)
{
    return a + b;
}
