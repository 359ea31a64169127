unsigned mix(unsigned short n)
{
    unsigned i, s = 0;

    for (i = 0; i < n; i++)
        s += i * 3 + 1;
    return s;
}
