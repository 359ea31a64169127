int f(unsigned flags, int x)
{
    return flags & 16 ? -x : x;
}
