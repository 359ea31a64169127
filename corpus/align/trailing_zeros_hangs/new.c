int zeros(unsigned x)
{
    int n = 0;

    for (; (x & 255) == 0; x >>= 8)
        n += 8;
    for (; (x & 1) == 0; x >>= 1)
        n++;
    return n;
}
