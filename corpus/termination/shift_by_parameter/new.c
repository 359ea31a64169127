int digits(unsigned x, unsigned k)
{
    int c = 0;

    if (k % 32 == 0 && x == 0)
        return -1;
    while (x) {
        x >>= k;
        c++;
    }
    return c;
}
