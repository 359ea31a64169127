int is_negative(double x)
{
    return x == 0 ? 1 / x < 0 : x < 0;
}
