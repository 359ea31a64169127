int scaled(int n, int a, int b)
{
    int i, s = 0, k = a * b;

    for (i = 0; i < n; i++)
        s += k + i;
    return s;
}
