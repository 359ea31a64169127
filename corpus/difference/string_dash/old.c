int f(const char *s)
{
    return s[0] == '-';
}
