int position(const int *v, int n)
{
    const int *best = v;
    int i;

    for (i = 1; i < n; i++)
        if (*best < v[i])
            best = v + i;
    return best - v;
}
