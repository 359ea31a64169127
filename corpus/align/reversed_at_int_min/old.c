int mix(int n, int k)
{
    int i, s = 0;

    for (i = 0; i < n; i++)
        s += i * k;
    return s;
}
