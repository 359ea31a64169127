unsigned sum(const unsigned *v, unsigned n)
{
    unsigned i = 0, s = 0;

    while (n - i >= 3) {
        s += v[i] + v[i + 1] + v[i + 2];
        i += 3;
    }
    for (; i < n; i++)
        s += v[i];
    return s;
}
