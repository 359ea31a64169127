void differences(int *v, unsigned char n)
{
    int i, before;

    if (n < 2)
        return;
    before = v[0];
    for (i = 1; i < n; i++) {
        int x = v[i];

        v[i] = x - before;
        before = x;
    }
}
