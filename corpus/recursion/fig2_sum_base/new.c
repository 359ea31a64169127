int sum(int n)
{
    int res;

    if (n <= 1)
        return 1;
    res = sum(n - 1);
    return res + n;
}
