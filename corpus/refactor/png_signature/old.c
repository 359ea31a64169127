int is_png(const char *s)
{
    return (unsigned char)s[0] == 0x89 && s[1] == 'P' && s[2] == 'N' && s[3] == 'G';
}
