int last(unsigned n, int a)
{
    n = n % 8 + 1;
    int v[n];
    v[n] = a;
    return v[n];
}
