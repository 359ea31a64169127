char to_hex(unsigned x)
{
    return "0123456789ABCDEF"[x & 15];
}
