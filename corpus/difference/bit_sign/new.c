int f(int x)
{
    return (x >> 30) & 1;
}
