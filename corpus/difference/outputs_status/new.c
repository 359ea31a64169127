int f(int x, int *out)
{
    if (x < 0)
        return -1;
    *out = x > 50 ? 50 : x;
    return 0;
}
