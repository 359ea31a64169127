char escape_letter(char c)
{
    if (c == '\n')
        return 'n';
    if (c == '\t')
        return 't';
    if (c == '\r')
        return 'r';
    if (c == '\\')
        return c;
    return 0;
}
