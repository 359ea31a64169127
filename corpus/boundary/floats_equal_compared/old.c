int is_zero(double a)
{
    double x = a;

    if (a == 0)
        x = 0.0;
    return x == 0.0;
}
