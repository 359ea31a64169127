int f(const int *p, int n)
{
    if (!p)
        return -2;
    if (n <= 0)
        return -1;
    return 0;
}
