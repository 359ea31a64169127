unsigned lower_bound(const int *v, unsigned n, int x)
{
    unsigned start = 0;

    while (n > 0) {
        unsigned half = n / 2;

        if (v[start + half] <= x) {
            start += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return start;
}
