void copy(unsigned char *to, const unsigned char *from, unsigned n)
{
    while (n > 0) {
        n--;
        to[n] = from[n];
    }
}
