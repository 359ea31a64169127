double sum(const double *v, int n)
{
    double s = 0;
    int i;

    for (i = 0; i < n; i++)
        s += v[i] * 0.5;
    return s;
}
