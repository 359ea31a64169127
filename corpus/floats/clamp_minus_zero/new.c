double clamp01(double x)
{
    if (x <= 0.0)
        return 0.0;
    return x >= 1.0 ? 1.0 : x;
}
