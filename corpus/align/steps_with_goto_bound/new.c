int steps(unsigned x, int most)
{
    int n = 0;

again:
    if (n > most || x == 1)
        return n;
    n++;
    if (x & 1) {
        x = 3 * x + 1;
        goto again;
    }
    x >>= 1;
    goto again;
}
