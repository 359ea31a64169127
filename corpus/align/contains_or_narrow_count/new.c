int contains(const int *v, unsigned n, int x)
{
    unsigned char count = 0;
    unsigned i;

    for (i = 0; i < n; i++)
        count += v[i] == x;
    return count != 0;
}
