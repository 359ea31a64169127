int replicate(unsigned x)
{
    unsigned b = x & 0xff;
    return (int)(b << 24 >> 20);
}
