int weighted(int n, int x)
{
    int i, s = 0, t = x;

    for (i = 0; i < n; i++) {
        s ^= t;
        t += 7;
    }
    return s;
}
