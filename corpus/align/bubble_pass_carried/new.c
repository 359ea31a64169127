void pass(int *v, unsigned n)
{
    unsigned i;
    int carried;

    if (n < 2)
        return;
    carried = v[0];
    for (i = 1; i < n; i++) {
        if (carried > v[i]) {
            v[i - 1] = v[i];
        } else {
            v[i - 1] = carried;
            carried = v[i];
        }
    }
    v[n - 1] = carried;
}
