static unsigned product(unsigned n, unsigned acc)
{
    if (n == 0)
        return acc;
    return product(n - 1, acc * n);
}

unsigned factorial(unsigned n)
{
    return product(n, 1);
}
