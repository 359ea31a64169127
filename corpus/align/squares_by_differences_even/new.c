unsigned mix(unsigned n)
{
    unsigned i, s = 0, square = 0;

    for (i = 0; i < n; i++) {
        s = (s << 1) ^ square;
        square += 2 * i;
    }
    return s;
}
