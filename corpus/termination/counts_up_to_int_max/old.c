unsigned checksum(int last)
{
    unsigned sum = 0;

    for (int i = 0; i <= last; i++)
        sum = sum + (unsigned)i;
    return sum;
}
