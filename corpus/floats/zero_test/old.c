int is_zero(double x)
{
    return x == 0.0;
}
