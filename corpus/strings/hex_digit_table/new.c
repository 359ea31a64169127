char to_hex(unsigned x)
{
    x &= 15;
    return (char)(x < 10 ? '0' + x : 'a' + (x - 10));
}
