unsigned stats(const unsigned char *v, unsigned n)
{
    unsigned i, sum = 0, squares = 0, zeros = 0;

    for (i = 0; i < n; i++) {
        unsigned x = v[i];

        sum += x;
        squares += x * x;
        zeros += !x;
    }
    return (sum ^ squares) + zeros;
}
