int mix(int n, int k)
{
    int i, s = 0;

    for (i = n - 1; i >= 0; i--)
        s += i * k;
    return s;
}
