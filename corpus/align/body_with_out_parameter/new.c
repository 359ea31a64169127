static void update(unsigned *a, unsigned *b, unsigned char x)
{
    *a = (*a + x) % 65521;
    *b = (*b + *a) % 65521;
}

unsigned checksum(const unsigned char *p, unsigned n)
{
    unsigned a = 1, b = 0;

    for (; n > 0; n--)
        update(&a, &b, *p++);
    return a | b << 16;
}
