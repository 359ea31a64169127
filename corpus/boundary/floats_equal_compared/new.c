int is_zero(double a)
{
    double x = a;
    return x == 0.0;
}
