int total(const int *v, int n, int negate)
{
    int i, s = 0;

    if (negate) {
        for (i = 1; i < n; i++)
            s -= v[i];
    } else {
        for (i = 0; i < n; i++)
            s += v[i];
    }
    return s;
}
