int outside(int x, int lo, int hi)
{
    return x < lo && x > hi;
}
