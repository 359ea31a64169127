double reciprocal(double a)
{
    double x = a;
    return 1.0 / x;
}
