unsigned mix(unsigned n, unsigned k)
{
    unsigned i = 0, s = 0;

    while (i < n && i <= k) {
        s = s * 3 + i;
        i++;
    }
    while (i < n) {
        s = s * 7 - i;
        i++;
    }
    return s;
}
