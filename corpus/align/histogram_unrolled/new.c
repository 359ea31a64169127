void histogram(unsigned *count, const unsigned char *p, unsigned n)
{
    for (; n > 1; n -= 2) {
        count[*p++]++;
        count[*p++]++;
    }
    if (n != 0)
        count[*p]++;
}
