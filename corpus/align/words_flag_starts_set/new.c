int words(const char *s)
{
    int n = 0;

    for (;;) {
        while (*s == ' ')
            s++;
        if (*s == 0)
            return n;
        n++;
        while (*s != 0 && *s != ' ')
            s++;
    }
}
