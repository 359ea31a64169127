int f(unsigned short v)
{
    return v;
}
