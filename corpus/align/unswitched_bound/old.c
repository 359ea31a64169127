int total(const int *v, int n, int negate)
{
    int i, s = 0;

    for (i = 0; i < n; i++) {
        if (negate)
            s -= v[i];
        else
            s += v[i];
    }
    return s;
}
