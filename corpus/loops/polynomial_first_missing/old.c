unsigned poly(unsigned x, unsigned char n)
{
    unsigned s = 0, p = 1;
    int k;

    for (k = 0; k < n; k++) {
        s += p * (unsigned)(k + 1);
        p *= x;
    }
    return s;
}
