int smallest(const int *v, unsigned char n)
{
    int i, a = v[0], b = 0;

    for (i = 1; i + 1 < n; i += 2) {
        a = v[i] < a ? v[i] : a;
        b = v[i + 1] < b ? v[i + 1] : b;
    }
    if (i < n && v[i] < a)
        a = v[i];
    return a < b ? a : b;
}
