double value(const double *c, unsigned n, double x)
{
    const double *p = c + n;
    double s = 0;

    while (p != c)
        s = s * x + *--p;
    return s;
}
