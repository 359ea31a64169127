int f(const char *s)
{
    return s[0] == '-' || s[0] == '/';
}
