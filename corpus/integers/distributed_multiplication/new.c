int weighted(int a, int b, int w)
{
    return (a + b) * w;
}
