static int leaf(int x)
{
    return x == 5 ? 0 : x - 1;
}

int f(int x)
{
    return leaf(leaf(x));
}
