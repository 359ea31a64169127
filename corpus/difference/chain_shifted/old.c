static int leaf(int x)
{
    return x;
}

int f(int x)
{
    return leaf(x - 100);
}
