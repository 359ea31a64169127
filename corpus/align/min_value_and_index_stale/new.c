unsigned smallest(const short *v, unsigned n)
{
    unsigned i, at = 0;
    short best;

    if (n < 2)
        return 0;
    best = v[0];
    for (i = 1; i < n; i++)
        if (v[i] < best) {
            at = i;
        }
    return at;
}
