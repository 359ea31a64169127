/* As twice_as_far, but only one position is set back. */
int total(const int *v, int n)
{
    int in = 0, out = 0, sum = 0;
    while (n-- > 0) {
        if (v[n] & 1)
            in += 2;
        else
            in++;
        out++;
        sum += v[n];
        if (in > 2 * out || out > in)
            sum = 0;
        if (in > 10)
            in = 0;
    }
    return sum;
}
