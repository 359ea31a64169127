unsigned stats(const unsigned char *v, unsigned n)
{
    unsigned i, sum = 0, squares = 0, zeros = 0;

    for (i = 0; i < n; i++)
        sum += v[i];
    for (i = 0; i < n; i++)
        squares += v[i] * v[i];
    for (i = 0; i < n; i++)
        if (v[i] == 0)
            zeros++;
    return (sum ^ squares) + zeros;
}
