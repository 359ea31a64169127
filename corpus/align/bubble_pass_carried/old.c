void pass(int *v, unsigned n)
{
    unsigned i;

    for (i = 1; i < n; i++)
        if (v[i - 1] > v[i]) {
            int t = v[i];

            v[i] = v[i - 1];
            v[i - 1] = t;
        }
}
