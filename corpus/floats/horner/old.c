double poly(double x)
{
    return 3.0 * x * x + 0.1 * x + 7.0;
}
