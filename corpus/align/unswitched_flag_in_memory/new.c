void shift(int *v, unsigned n, const int *down)
{
    unsigned i;
    int step;

    if (n == 0)
        return;
    step = *down ? -1 : 1;
    for (i = 0; i < n; i++)
        v[i] += step;
}
