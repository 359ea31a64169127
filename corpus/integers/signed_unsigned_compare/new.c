int in_range(int i, unsigned n)
{
    return (unsigned)i < n && i >= 0;
}
