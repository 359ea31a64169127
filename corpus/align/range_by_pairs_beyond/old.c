int range(const int *v, unsigned char n)
{
    int i, low = v[0], high = v[0];

    for (i = 1; i < n; i++) {
        if (v[i] < low)
            low = v[i];
        if (v[i] > high)
            high = v[i];
    }
    return high - low;
}
