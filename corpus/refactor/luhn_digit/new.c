int luhn(unsigned digit)
{
    static const signed char sums[10] = {0, 2, 4, 6, 8, 1, 3, 5, 7, 9};
    return digit < 10 ? sums[digit] : -1;
}
