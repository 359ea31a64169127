int imin(int a, int b)
{
    int diff = a - b;
    return b + (diff & (diff >> 31));
}
