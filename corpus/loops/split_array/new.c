int range(const int *v, int n)
{
    int i, low = 0, high = 0;

    for (i = 0; i < n; i++)
        if (v[i] < low)
            low = v[i];
    for (i = 0; i < n; i++)
        if (v[i] > high)
            high = v[i];
    return high - low;
}
