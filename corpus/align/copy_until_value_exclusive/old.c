unsigned copy_until(int *restrict to, const int *restrict from, unsigned n, int stop)
{
    unsigned i = 0;

    while (i < n) {
        to[i] = from[i];
        if (from[i++] == stop)
            break;
    }
    return i;
}
