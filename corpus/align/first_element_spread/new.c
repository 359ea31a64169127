/* Each element becomes what the first one is. */
unsigned spread(unsigned *v, unsigned n)
{
    unsigned k;
    for (k = 1; k < n; k++)
        v[k] = v[0];
    return k;
}
