int parity(unsigned x)
{
    int shift;

    for (shift = 16; shift > 0; shift >>= 1)
        x ^= x >> shift;
    return x & 1;
}
