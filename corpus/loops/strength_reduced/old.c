int weighted(int n, int x)
{
    int i, s = 0;

    for (i = 0; i < n; i++)
        s ^= x + 7 * i;
    return s;
}
