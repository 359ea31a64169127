int above(const float *v, int n, float limit)
{
    int i, k = 0;

    for (i = 0; i < n; i++)
        if (v[i] > limit)
            k++;
    return k;
}
