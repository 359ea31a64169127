int imin(int a, int b)
{
    return a < b ? a : b;
}
