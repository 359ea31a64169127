int score(unsigned x, unsigned n)
{
    unsigned i, sum = 0;
    int odd = 0;

    for (i = 0; i < n; i++) {
        if (x == i * i)
            break;
        sum += x ^ i;
        if ((x >> (i & 31)) & 1)
            odd++;
    }
    return (int)sum - odd;
}
