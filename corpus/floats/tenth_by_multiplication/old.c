double tenth(double x)
{
    return x / 10.0;
}
