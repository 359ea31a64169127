static int minus(int x, int y)
{
    return x - y;
}

int f(int a, int b)
{
    return minus(a, b);
}
