int imin(int a, int b)
{
    return b ^ ((a ^ b) & -(a < b));
}
