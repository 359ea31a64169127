int f(const int *p, int n)
{
    if (!p || n <= 0)
        return -1;
    return 0;
}
