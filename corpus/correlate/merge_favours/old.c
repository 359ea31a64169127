int merge(int *result, const int *ours, const int *theirs, int n, int variant)
{
    int i;

    for (i = 0; i < n; i++)
        result[i] = ours[i];
    return 1;
}
