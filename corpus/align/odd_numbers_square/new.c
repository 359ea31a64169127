unsigned odd_sum(unsigned n)
{
    return n * n;
}
