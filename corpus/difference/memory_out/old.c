int f(int x, int *out)
{
    *out = x;
    return 0;
}
