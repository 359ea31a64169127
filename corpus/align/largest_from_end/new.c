int best(const int *v, unsigned char n)
{
    int i, best = v[0];

    for (i = n - 1; i >= 0; i--)
        if (v[i] > best)
            best = v[i];
    return best;
}
