int sum(int n, int step)
{
    if (n <= 0)
        return 0;
    return step + sum(n - 1, step);
}
