int half(int n)
{
    int m = n + 0;
    return m >> 1;
}

int caller(int x)
{
    return x == 3 ? half(-1) : 5;
}
