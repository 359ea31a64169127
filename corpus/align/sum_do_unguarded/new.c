int sum(const int *v, int n)
{
    int i = 0, s = 0;

    do
        s += v[i++];
    while (i < n);
    return s;
}
