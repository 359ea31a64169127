int has_divisor(unsigned char n)
{
    int d, found = 0;

    for (d = 2; d < n && !found; d++)
        if (n % d == 0)
            found = 1;
    return found;
}
