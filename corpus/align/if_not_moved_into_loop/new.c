int steps(const int *v, unsigned n)
{
    unsigned i;
    int last = 0, s = 0;

    for (i = 0; i < n; i++) {
        if (v[i] != last)
            s++;
        last = v[i];
    }
    return s;
}
