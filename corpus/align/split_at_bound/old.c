unsigned mix(unsigned n, unsigned k)
{
    unsigned i, s = 0;

    for (i = 0; i < n; i++)
        if (i < k)
            s = s * 3 + i;
        else
            s = s * 7 - i;
    return s;
}
