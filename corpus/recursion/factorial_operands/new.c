unsigned factorial(unsigned n)
{
    return n ? factorial(n - 1) * n : 1;
}
