void copy(char *restrict to, const char *restrict from)
{
    unsigned i = 0;

    do
        to[i] = from[i];
    while (from[i++] != 0);
}
