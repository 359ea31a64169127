int has_divisor(unsigned char n)
{
    int d;

    for (d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 1;
    return 0;
}
