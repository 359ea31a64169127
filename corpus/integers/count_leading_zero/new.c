int bit_length(unsigned x)
{
    return 32 - __builtin_clz(x | 1) - (x == 0);
}
