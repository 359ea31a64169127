double dmax(double a, double b)
{
    return a > b ? a : b;
}
