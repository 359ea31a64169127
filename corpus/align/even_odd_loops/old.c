int alternating(const int *v, unsigned short n)
{
    unsigned i;
    int s = 0;

    for (i = 0; i < n; i += 2)
        s += v[i];
    for (i = 1; i < n; i += 2)
        s -= v[i];
    return s;
}
