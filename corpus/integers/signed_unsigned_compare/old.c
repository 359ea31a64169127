int in_range(int i, unsigned n)
{
    return i < 0 || (unsigned)i < n;
}
