int find(int *v, unsigned char n, int x)
{
    int i = 0, last;

    if (n == 0)
        return -1;
    last = v[n - 1];
    v[n - 1] = x;
    while (v[i] != x)
        i++;
    v[n - 1] = last;
    return i < n - 1 ? i : -1;
}
