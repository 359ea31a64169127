long sum(const short *v, unsigned n)
{
    long s = 0;
    unsigned i;

    for (i = 0; i < n; i++)
        s += v[i];
    return s;
}
