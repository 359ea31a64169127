double value(const double *c, unsigned n, double x)
{
    double s = 0;
    unsigned i;

    for (i = n; i > 0; i--)
        s = s * x + c[i - 1];
    return s;
}
