unsigned char check(const unsigned char *p, unsigned n)
{
    unsigned char lane[4] = {0, 0, 0, 0};
    unsigned i;

    for (i = 0; i < n; i++)
        lane[i & 3] ^= p[i];
    return lane[0] ^ lane[1] ^ lane[2];
}
