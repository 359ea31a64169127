char to_hex(unsigned x)
{
    return "0123456789abcdef"[x & 15];
}
