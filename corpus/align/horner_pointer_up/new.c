double value(const double *c, unsigned n, double x)
{
    double s = 0;

    while (n-- > 0)
        s = s * x + *c++;
    return s;
}
