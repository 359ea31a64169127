int stats(int n, int k)
{
    int i, low = 0, mix = 7;

    for (i = 0; i < n; i++) {
        mix = mix * 31 + i;
        low ^= i * k;
    }
    return low + mix;
}
