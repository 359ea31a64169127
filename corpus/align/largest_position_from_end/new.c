int best(const int *v, unsigned char n)
{
    int i, at = 0;

    for (i = n - 1; i >= 0; i--)
        if (v[i] > v[at])
            at = i;
    return at;
}
