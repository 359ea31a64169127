int is_zero(double x)
{
    return !x;
}
