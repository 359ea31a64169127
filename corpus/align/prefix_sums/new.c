void accumulate(int *v, unsigned n)
{
    unsigned i;
    int s;

    if (n < 2)
        return;
    s = v[0];
    for (i = 1; i < n; i++) {
        s += v[i];
        v[i] = s;
    }
}
