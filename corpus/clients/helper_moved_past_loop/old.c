unsigned totals(unsigned n, unsigned m)
{
    unsigned i, j, sum = 0, product = 1;

    for (i = 0; i < n; i++)
        sum += i * i;
    for (j = 1; j < m; j++)
        product *= j | 1;
    return sum ^ product;
}
