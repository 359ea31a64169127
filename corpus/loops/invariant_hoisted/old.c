int scaled(int n, int a, int b)
{
    int i, s = 0;

    for (i = 0; i < n; i++)
        s += a * b + i;
    return s;
}
