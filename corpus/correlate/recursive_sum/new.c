int sum(int n, int step)
{
    int rest;

    if (n < 1)
        return 0;
    rest = sum(n - 1, step);
    return rest + step;
}
