unsigned mix(unsigned n, unsigned mode)
{
    unsigned i, s = 1;

    for (i = 0; i < n; i++) {
        switch (mode) {
        case 0:
            s += i;
            break;
        case 1:
            s ^= i * 3;
            break;
        default:
            s = s * 5 + mode;
        }
    }
    return s;
}
