int bit_length(unsigned x)
{
    if (x == 0)
        return 0;
    return 32 - __builtin_clz(x);
}
