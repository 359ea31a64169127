unsigned average(unsigned sum, unsigned n)
{
    return sum / n;
}
