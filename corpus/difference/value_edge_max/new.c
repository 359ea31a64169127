int f(int x)
{
    if (x == 2147483647)
        return 0;
    return x / 2;
}
