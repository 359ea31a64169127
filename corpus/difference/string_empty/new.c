int f(const char *s)
{
    if (!s || s[0] == '\0')
        return -1;
    return 0;
}
