unsigned parse(const char *s)
{
    unsigned n = 0;

    while (*s >= '0' && *s <= '9') {
        unsigned d = (unsigned)(*s++ - '0');

        if (n > (4294967295u - d) / 10)
            return 4294967295u;
        n = n * 10 + d;
    }
    return n;
}
