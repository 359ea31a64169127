unsigned mix(int n)
{
    unsigned s = 0;
    int i;

    for (i = 0; i + 2 < n; i += 3)
        s += (unsigned)i * 5 + (unsigned)(i + 1) * 5 + (unsigned)(i + 2) * 5;
    for (; i < n; i++)
        s += (unsigned)i * 5;
    return s;
}
