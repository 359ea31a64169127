double lerp(double a, double b, double t)
{
    return (1.0 - t) * a + t * b;
}
