static int leaf(int x)
{
    return x == 7 ? 8 : x;
}

int f(int x)
{
    return leaf(x - 100);
}
