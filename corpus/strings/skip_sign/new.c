const char *skip_sign(const char *s)
{
    return s + (*s == '+' || *s == '-');
}
