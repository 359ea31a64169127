unsigned hash(const unsigned char *v, unsigned n)
{
    unsigned i = 0, s = 0;

    for (; n - i >= 2; i += 2) {
        s = s * 31 + v[i];
        s = s * 31 + v[i + 1];
    }
    for (; i < n; i++)
        s = s * 31 + v[i];
    return s;
}
