int f(unsigned short v)
{
    return v & 1023;
}
