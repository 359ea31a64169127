unsigned total(unsigned short n)
{
    unsigned i, s = 0;

    for (i = 0; i + 1 < n; i += 2) {
        s = s * 31 + i;
        s = s * 31 + i + 1;
    }
    if (i < n)
        s = s * 31 + i;
    return s;
}
