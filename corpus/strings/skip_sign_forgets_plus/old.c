const char *skip_sign(const char *s)
{
    if (*s == '-' || *s == '+')
        return s + 1;
    return s;
}
