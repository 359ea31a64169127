static unsigned first_sum(unsigned n)
{
    unsigned i, sum = 0;

    for (i = 0; i < n; i++)
        sum += i * i;
    return sum;
}

unsigned totals(unsigned n, unsigned m)
{
    unsigned sum, product = 1;

    for (; n > 0 && m > 0; n--)
        product *= n | 1;
    sum = first_sum(n);
    return sum ^ product;
}
