int score(const signed char *v, int n)
{
    int i, s = 0;

    for (i = 0; i < n; i++) {
        int x = v[i];

        if (x < 0)
            x = -x;
        s += x > 100 ? 100 : x;
    }
    return s;
}
