unsigned factorial(unsigned char n)
{
    unsigned i, p = 1;

    for (i = 2; i <= n; i++)
        p *= i;
    return p;
}
