unsigned parse(const char *s)
{
    unsigned n = 0;

    while (*s >= '0' && *s <= '9')
        n = n * 10 + (unsigned)(*s++ - '0');
    return n;
}
