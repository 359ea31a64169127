double dmax(double a, double b)
{
    return a < b ? b : a;
}
