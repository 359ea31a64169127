int sum(const int *v, int n)
{
    int i, s = 0;

    for (i = 0; i + 1 < n; i += 2) {
        s += v[i];
        s += v[i + 1];
    }
    if (i < n)
        s += v[i];
    return s;
}
