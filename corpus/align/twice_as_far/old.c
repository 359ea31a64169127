/* What goes in is at most twice what goes out. */
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
        if (in > 1000000) {
            in = 0;
            out = 0;
        }
    }
    return sum;
}
