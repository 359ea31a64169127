int sum(int n)
{
    int res;

    if (n <= 1)
        return n;
    res = sum(n - 1);
    return res + n + 1;
}
