double reciprocal(double a)
{
    double x = a;

    if (a == 0)
        x = 0.0;
    return 1.0 / x;
}
