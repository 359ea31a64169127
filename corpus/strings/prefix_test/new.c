int is_comment(const char *s)
{
    if (s[0] == '/') {
        if (s[1] == '/')
            return 1;
    }
    return 0;
}
