unsigned mix(unsigned n, unsigned mode)
{
    unsigned i, s = 1;

    if (mode == 0) {
        for (i = 0; i < n; i++)
            s += i;
        return s;
    }
    if (mode == 1) {
        for (i = 0; i < n; i++)
            s ^= i * 3;
        return s;
    }
    for (i = 0; i < n; i++)
        s = s * 5 + mode;
    return s;
}
