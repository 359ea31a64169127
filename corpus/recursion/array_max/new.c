int largest(const signed char *v, unsigned n)
{
    int rest;

    if (n == 0)
        return 0;
    rest = largest(v + 1, n - 1);
    return rest > v[0] ? rest : v[0];
}
