unsigned find(const unsigned *v, unsigned n, unsigned x)
{
    const unsigned *p = v;

    while (n > 0 && *p != x) {
        p++;
        n--;
    }
    return p - v;
}
