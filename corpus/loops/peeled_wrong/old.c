unsigned mix(unsigned n)
{
    unsigned h = 17, i;

    for (i = 0; i < n; i++)
        h = (h ^ i) * 16777619u;
    return h;
}
