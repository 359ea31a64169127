double negate(double x)
{
    return -x;
}
