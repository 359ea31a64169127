unsigned sum(unsigned char n)
{
    unsigned power = 1;
    int i;

    for (i = 0; i < n; i++)
        power *= 3;
    return (power - 1) / 2;
}
