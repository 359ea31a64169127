int depth(int n)
{
    if (n <= 0 || n == 10000)
        return 0;
    return 1 + depth(n - 1);
}
