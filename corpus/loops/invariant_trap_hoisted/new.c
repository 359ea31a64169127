unsigned scaled(int n, unsigned d)
{
    int i;
    unsigned s = 0, q = 1000u / d;

    for (i = 0; i < n; i++)
        s += q;
    return s;
}
