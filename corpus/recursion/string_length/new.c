unsigned long length(const char *s)
{
    return *s == '\0' ? 0 : 1 + length(s + 1);
}
