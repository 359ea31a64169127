unsigned copy_until(int *restrict to, const int *restrict from, unsigned n, int stop)
{
    unsigned left;
    int x;

    for (left = n; left > 0; left--) {
        *to++ = x = *from++;
        if (x == stop)
            return n - left + 1;
    }
    return n;
}
