int f(const char *s)
{
    return s[0] >= '0' && s[0] <= '9' ? s[0] - '0' : s[0];
}
