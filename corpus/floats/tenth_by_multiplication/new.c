double tenth(double x)
{
    return x * 0.1;
}
