int f(unsigned flags, int x)
{
    return x;
}
