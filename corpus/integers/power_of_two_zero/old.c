int is_pow2(unsigned x)
{
    return x != 0 && (x & (x - 1)) == 0;
}
