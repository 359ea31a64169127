int sum_but(const int *v, int n, int k)
{
    int i, s = 0;

    for (i = 0; i < n; i++) {
        if (i == k)
            continue;
        s += v[i];
    }
    return s;
}
