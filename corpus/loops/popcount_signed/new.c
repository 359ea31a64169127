int ones(unsigned x)
{
    int c = 0, v = (int)x;

    while (v) {
        c += v & 1;
        v >>= 1;
    }
    return c;
}
