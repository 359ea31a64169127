unsigned totals(unsigned n, unsigned m)
{
    unsigned i, sum = 0, product = 1;

    for (i = 0; i < n; i++)
        sum += i * i;
    for (; n > 0 && m > 0; n--)
        product *= n | 1;
    return sum ^ product;
}
