int contains(const int *v, unsigned n, int x)
{
    unsigned i, count = 0;

    for (i = 0; i < n; i++)
        count += v[i] == x;
    return count != 0;
}
