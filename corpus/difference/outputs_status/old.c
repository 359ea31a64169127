int f(int x, int *out)
{
    if (x < 0)
        return -1;
    *out = x;
    return 0;
}
