int is_negative(double x)
{
    return x < 0;
}
