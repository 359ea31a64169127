double silence(double x)
{
    return x * 0.0;
}
