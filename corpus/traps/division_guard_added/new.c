unsigned average(unsigned sum, unsigned n)
{
    if (n == 0)
        return 0;
    return sum / n;
}
