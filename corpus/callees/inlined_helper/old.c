static int clamp(int x, int lo, int hi)
{
    if (x < lo)
        return lo;
    if (x > hi)
        return hi;
    return x;
}

int clamp_sum(int a, int b)
{
    return clamp(a, 0, 100) + clamp(b, -50, 50);
}
