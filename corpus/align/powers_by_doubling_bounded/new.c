unsigned powers(unsigned n, unsigned k)
{
    unsigned i, s = 0;

    for (i = 0; i < n && i < 32; i++) {
        s ^= k;
        k += k;
    }
    return s;
}
