static int leaf(int x)
{
    return x < 0 ? -1 : x == 0 ? -2 : x;
}

int f(int x)
{
    int r = leaf(x);

    return r < 0 ? 0 : r;
}
