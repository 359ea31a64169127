int steps(const int *v, unsigned n)
{
    unsigned i;
    int last, s = 0;

    if (n == 0)
        return 0;
    last = v[0];
    for (i = 1; i < n; i++) {
        if (v[i] != last)
            s++;
        last = v[i];
    }
    return s;
}
