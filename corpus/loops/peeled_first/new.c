unsigned mix(unsigned n)
{
    unsigned h = 17, i;

    if (n == 0)
        return h;
    h *= 16777619u;
    for (i = 1; i < n; i++)
        h = (h ^ i) * 16777619u;
    return h;
}
