unsigned mix(unsigned n)
{
    unsigned i, digit = 0, s = 0;

    for (i = 0; i < n; i++) {
        s = s * 7 + digit;
        if (++digit > 10)
            digit = 0;
    }
    return s;
}
