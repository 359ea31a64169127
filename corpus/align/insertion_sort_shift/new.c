void sort(int *v, unsigned char n)
{
    int i, j;

    for (i = 1; i < n; i++) {
        int x = v[i];

        for (j = i; j > 0 && v[j - 1] > x; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}
