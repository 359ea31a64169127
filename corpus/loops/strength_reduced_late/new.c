int weighted(int n, int x)
{
    int i, s = 0, t = x;

    for (i = 0; i < n; i++) {
        t += 7;
        s ^= t;
    }
    return s;
}
