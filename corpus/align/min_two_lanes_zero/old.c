int smallest(const int *v, unsigned char n)
{
    int i, best = v[0];

    for (i = 1; i < n; i++)
        if (v[i] < best)
            best = v[i];
    return best;
}
