int count(const char *s, int c)
{
    if (*s == '\0')
        return 0;
    return ((unsigned char)*s == c) + count(s + 1, c);
}
