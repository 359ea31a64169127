void sort(int *v, unsigned char n)
{
    int i, j;

    for (i = 1; i < n; i++)
        for (j = i; j > 0 && v[j - 1] > v[j]; j--) {
            int t = v[j];

            v[j] = v[j - 1];
            v[j - 1] = t;
        }
}
