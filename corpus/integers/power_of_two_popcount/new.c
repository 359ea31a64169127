int is_pow2(unsigned x)
{
    return __builtin_popcount(x) == 1;
}
