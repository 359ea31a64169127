int position(const int *v, int n)
{
    int i, at = 0;

    for (i = 1; i < n; i++)
        if (v[i] > v[at])
            at = i;
    return at;
}
