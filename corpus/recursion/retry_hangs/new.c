int f(int n)
{
    int r;

    if (n == 0)
        return 1;
    r = f(n - 1);
    return r == 1 ? f(n) : r;
}
