int f(unsigned char x)
{
    int i, n = 0;

    for (i = 0; i < 7; ++i)
        n += x >> i & 1;
    return n;
}
