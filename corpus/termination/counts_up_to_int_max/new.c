unsigned checksum(int last)
{
    unsigned sum = 0;

    for (int i = last; i >= 0; i--)
        sum = sum + (unsigned)i;
    return sum;
}
