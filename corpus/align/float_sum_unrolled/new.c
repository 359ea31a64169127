double sum(const double *v, int n)
{
    double s = 0;
    int i;

    for (i = 0; i + 1 < n; i += 2) {
        s += v[i] * 0.5;
        s += v[i + 1] * 0.5;
    }
    if (i < n)
        s += v[i] * 0.5;
    return s;
}
