int is_png(const char *s)
{
    int first = s[0];
    return first == 0x89 && s[1] == 'P' && s[2] == 'N' && s[3] == 'G';
}
