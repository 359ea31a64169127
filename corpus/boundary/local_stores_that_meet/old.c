int counts(const int *v, int n, int a, int b)
{
    int slots[8] = {0}, i, sum = 0;

    for (i = 0; i < n; i++) {
        if (v[i] > 9) {
            slots[a & 3] = b;
            slots[b & 7] = i;
        }
        sum += slots[i & 7];
    }
    return sum;
}
