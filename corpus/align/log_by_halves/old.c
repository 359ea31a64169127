int log2_floor(unsigned x)
{
    int n = 0;

    while (x >>= 1)
        n++;
    return n;
}
