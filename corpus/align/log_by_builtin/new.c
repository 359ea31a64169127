int log2_floor(unsigned x)
{
    return 31 - __builtin_clz(x | 1);
}
