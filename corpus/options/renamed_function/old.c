int len_of(int lo, int hi)
{
    return hi < lo ? 0 : hi - lo;
}
