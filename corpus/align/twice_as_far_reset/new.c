int total(const int *v, int n)
{
    int sum = 0;
    while (n-- > 0)
        sum += v[n];
    return sum;
}
