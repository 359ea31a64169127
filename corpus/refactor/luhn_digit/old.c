int luhn(unsigned digit)
{
    int d;

    if (digit > 9)
        return -1;
    d = 2 * (int)digit;
    return d > 9 ? d - 9 : d;
}
