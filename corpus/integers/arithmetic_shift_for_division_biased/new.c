int quarter(int x)
{
    return (x + ((x >> 31) & 3)) >> 2;
}
