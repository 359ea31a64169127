static int g(int x)
{
    return x > 10;
}

int f(int x)
{
    return g(x) ? 1 : 2;
}
