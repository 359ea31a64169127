int midpoint(int lo, int hi)
{
    return (lo + hi) / 2;
}
