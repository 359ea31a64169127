int is_comment(const char *s)
{
    return s[0] == '/' && (s[1] == '/' || s[1] == '*');
}
