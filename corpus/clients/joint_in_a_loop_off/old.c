unsigned up(unsigned x)
{
    return (x & 63) + 0;
}

unsigned down(unsigned x)
{
    return (x >> 3) + 4;
}

unsigned mix(unsigned n)
{
    unsigned i, s = 0;

    if (n > 20)
        return 0;
    for (i = 0; i < n; i++) {
        s += up(i);
        if (i < 10)
            s -= down(i);
    }
    return s;
}
