int find(const int *v, int n, int x)
{
    int i, at = -1;

    for (i = 0; i < n && at < 0; i++)
        if (v[i] == x)
            at = i;
    return at;
}
