void scale(int *a, const int *b, int *c, unsigned n)
{
    unsigned i;

    for (i = 0; i < n; i++) {
        a[i] = b[i] + 1;
        c[i] = a[i] * 2;
    }
}
