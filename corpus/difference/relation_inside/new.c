int f(int x, int lo, int hi)
{
    return lo <= x;
}
