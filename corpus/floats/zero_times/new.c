double silence(double x)
{
    (void)x;
    return 0.0;
}
