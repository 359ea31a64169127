int range(const int *v, unsigned char n)
{
    int i, low = v[0], high = v[0];

    for (i = 1; i < n; i += 2) {
        int a = v[i], b = i + 2 < n ? v[i + 1] : a;

        if (a > b) {
            int t = a;
            a = b;
            b = t;
        }
        if (a < low)
            low = a;
        if (b > high)
            high = b;
    }
    return high - low;
}
