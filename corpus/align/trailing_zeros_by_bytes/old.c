int zeros(unsigned x)
{
    int n = 0;

    if (x == 0)
        return 32;
    while ((x & 1) == 0) {
        x >>= 1;
        n++;
    }
    return n;
}
