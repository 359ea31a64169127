int parity(unsigned x)
{
    int p = 0;

    while (x != 0) {
        p ^= x & 1;
        x >>= 1;
    }
    return p;
}
