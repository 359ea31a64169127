unsigned parity(const unsigned *v, unsigned n)
{
    unsigned a = 0, b = 0, c = 0, d = 0;

    for (; n >= 4; n -= 4, v += 4) {
        a ^= v[0];
        b ^= v[1];
        c ^= v[2];
        d ^= v[3];
    }
    for (; n > 0; n--)
        a ^= *v++;
    return (a ^ b) ^ (c | d);
}
