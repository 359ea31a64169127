unsigned digit_sum(unsigned n)
{
    if (n < 8)
        return n;
    return n % 8 + digit_sum(n / 8);
}
