void histogram(unsigned *count, const unsigned char *p, unsigned n)
{
    for (; n > 1; n -= 2) {
        unsigned a = *p++, b = *p++;

        count[a]++;
        count[b]++;
    }
    if (n != 0)
        count[*p]++;
}
