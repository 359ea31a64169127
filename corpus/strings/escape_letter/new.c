char escape_letter(char c)
{
    switch (c) {
    case '\r':
        return 'r';
    case '\n':
        return 'n';
    case '\\':
        return '\\';
    case '\t':
        return 't';
    default:
        return '\0';
    }
}
