int odd_sum(int n)
{
    return n * n;
}
