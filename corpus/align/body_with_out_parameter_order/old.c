unsigned checksum(const unsigned char *p, unsigned n)
{
    unsigned a = 1, b = 0, i;

    for (i = 0; i < n; i++) {
        a = (a + p[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}
