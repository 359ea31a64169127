void copy(char *restrict to, const char *restrict from, unsigned short n)
{
    unsigned i;

    for (i = 0; i < n; i++)
        to[i] = from[i];
}
