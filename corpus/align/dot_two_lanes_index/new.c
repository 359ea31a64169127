int dot(const int *a, const int *b, int n)
{
    int i, even = 0, odd = 0;

    for (i = 0; i + 1 < n; i += 2) {
        even += a[i] * b[i];
        odd += a[i + 1] * b[i];
    }
    if (i < n)
        even += a[i] * b[i];
    return even + odd;
}
