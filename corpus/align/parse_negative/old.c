int parse(const char *s)
{
    int x = 0;

    while (*s >= '0' && *s <= '9')
        x = x * 10 + (*s++ - '0');
    return x;
}
