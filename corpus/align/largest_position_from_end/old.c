int best(const int *v, unsigned char n)
{
    int i, at = 0;

    for (i = 0; i < n; i++)
        if (v[i] > v[at])
            at = i;
    return at;
}
