int lib(int x)
{
    return x > 15 ? -1 : 3 * x;
}

int nibble(int x)
{
    return lib(x & 15) + lib((x >> 4) & 15);
}
