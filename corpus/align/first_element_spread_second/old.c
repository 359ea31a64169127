/* Each element becomes what the one before it is. */
unsigned spread(unsigned *v, unsigned n)
{
    unsigned k;
    for (k = 1; k < n; k++)
        v[k] = v[k - 1];
    return k;
}
