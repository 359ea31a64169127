unsigned lib(unsigned x)
{
    return x == 0x20f4ca8au ? 1 : x & 1;
}

unsigned hash(unsigned x)
{
    x ^= x >> 16;
    x *= 0x45d9f3bu;
    x ^= x >> 13;
    return lib(x + 7);
}
