void copy(char *restrict to, const char *restrict from, unsigned short n)
{
    while (n > 0) {
        n--;
        to[n] = from[n];
    }
}
