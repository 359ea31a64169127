int ones(unsigned x)
{
    int n = 0;

    while (x != 0) {
        if (x & 1)
            n++;
        x >>= 1;
    }
    return n;
}
