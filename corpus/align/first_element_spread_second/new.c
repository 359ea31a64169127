/* Each element becomes what the second one is, which is not the first one. */
unsigned spread(unsigned *v, unsigned n)
{
    unsigned k;
    for (k = 1; k < n; k++)
        v[k] = v[1];
    return k;
}
