int midpoint(int lo, int hi)
{
    return lo + (hi - lo) / 2;
}
