int position(const signed char *v, unsigned char n)
{
    int i, at = 0;

    for (i = 1; i < n; i++)
        if (v[i] > v[at])
            at = i;
    return at;
}
