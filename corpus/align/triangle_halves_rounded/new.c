unsigned triangle(unsigned n)
{
    if (n % 2 == 0)
        return n / 2 * (n + 1);
    return (n / 2 + 1) * (n - 1) + n / 2;
}
