unsigned lib(unsigned x)
{
    return (x & 255) * 3 | 0x20000;
}

unsigned low(unsigned x)
{
    return lib(x) & 0xffff;
}
