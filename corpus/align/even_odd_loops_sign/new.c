int alternating(const int *v, unsigned short n)
{
    unsigned i;
    int s = 0;

    for (i = 0; i < n; i++)
        s += i % 2 == 0 ? -v[i] : v[i];
    return s;
}
