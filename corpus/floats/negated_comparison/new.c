int at_least(double a, double b)
{
    return a >= b;
}
