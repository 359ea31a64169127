unsigned sum(const unsigned char *v, unsigned n)
{
    if (n == 0)
        return 0;
    return v[n - 1] + sum(v, n - 1);
}
