const char *find(const char *s, char c)
{
    while (*s != 0 && *s != c)
        s++;
    return s;
}
