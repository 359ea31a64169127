signed char low(int x)
{
    return x;
}
