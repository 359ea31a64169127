int f(unsigned char b)
{
    return (signed char)b;
}
