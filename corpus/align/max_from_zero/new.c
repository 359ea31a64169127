int largest(const int *v, int n)
{
    int i, best = *v;

    for (i = 0; i < n; i++)
        best = v[i] > best ? v[i] : best;
    return best;
}
