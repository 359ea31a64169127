int total(const int *v, int n)
{
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += v[k];
    return sum;
}
