int iabs(int x)
{
    int mask = x >> 31;
    return (x ^ mask) - mask;
}
