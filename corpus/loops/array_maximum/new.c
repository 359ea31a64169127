int largest(const signed char *v, unsigned char n)
{
    int i, at = 0;

    for (i = 1; i < n; i++)
        if (v[at] < v[i])
            at = i;
    return v[at];
}
