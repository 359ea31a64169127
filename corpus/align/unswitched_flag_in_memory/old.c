void shift(int *v, unsigned n, const int *down)
{
    unsigned i;

    for (i = 0; i < n; i++)
        v[i] += *down ? -1 : 1;
}
