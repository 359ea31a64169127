int sum(const unsigned char *v, unsigned n)
{
    if (n == 0)
        return 0;
    return v[0] + sum(v + 1, n - 1);
}
