int starts_with(const char *s, const char *prefix)
{
    while (*prefix != 0 && *s == *prefix) {
        s++;
        prefix++;
    }
    return *prefix == 0 || *s == 0;
}
