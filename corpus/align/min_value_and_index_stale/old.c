unsigned smallest(const short *v, unsigned n)
{
    unsigned i, at = 0;

    for (i = 1; i < n; i++)
        if (v[i] < v[at])
            at = i;
    return at;
}
