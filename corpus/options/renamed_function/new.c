int length_of(int lo, int hi)
{
    if (lo > hi)
        return 0;
    return hi - lo;
}
