double negate(double x)
{
    return 0.0 - x;
}
