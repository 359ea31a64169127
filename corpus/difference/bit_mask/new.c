unsigned f(unsigned x)
{
    return x & 0x7f;
}
