static int leaf(int x)
{
    return x - 1;
}

int f(int x)
{
    return leaf(leaf(x));
}
