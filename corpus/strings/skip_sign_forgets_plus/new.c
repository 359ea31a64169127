const char *skip_sign(const char *s)
{
    return *s == '-' ? s + 1 : s;
}
