int stats(int n, int k)
{
    int i, j, low = 0, mix = 7;

    for (i = 0; i < n; i++)
        low ^= i * k;
    for (j = 0; j < n; j++)
        mix = mix * 31 + j;
    return low + mix;
}
