double fma_like(double a, double b, double c)
{
    return c + b * a;
}
