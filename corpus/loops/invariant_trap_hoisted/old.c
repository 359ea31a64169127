unsigned scaled(int n, unsigned d)
{
    int i;
    unsigned s = 0;

    for (i = 0; i < n; i++)
        s += 1000u / d;
    return s;
}
