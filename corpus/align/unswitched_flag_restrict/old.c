void shift(int *restrict v, unsigned n, const int *restrict down)
{
    unsigned i;

    for (i = 0; i < n; i++)
        v[i] += *down ? -1 : 1;
}
