static int leaf(int x)
{
    return x == 9 ? 1 : x + 1;
}

int down(int n)
{
    if (n <= 0)
        return leaf(0);
    if (n > 5)
        return 0;
    return down(n - 1) + leaf(n);
}
