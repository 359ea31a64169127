int score(unsigned x, unsigned n)
{
    unsigned i, k, sum = 0;
    int odd = 0;

    for (i = 0; i < n && x != i * i; i++)
        sum += x ^ i;
    for (k = 0; k < n && x != k * k; k++)
        odd += (x >> (k & 31)) & 1;
    return (int)sum - odd;
}
