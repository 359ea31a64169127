void accumulate(int *v, unsigned n)
{
    unsigned i;
    int s = 0;

    for (i = 0; i < n; i++) {
        s += v[i];
        v[i] = s;
    }
}
