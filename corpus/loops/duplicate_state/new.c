unsigned pell(unsigned char n)
{
    unsigned v[2] = {0, 1};
    int i;

    for (i = 0; i < n; i++)
        v[i & 1] += 2 * v[(i & 1) ^ 1];
    return v[n & 1];
}
