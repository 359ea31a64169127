unsigned f(unsigned x)
{
    return x & 0xff;
}
