char class_of(int c)
{
    if (c >= 'A' && c <= 'Z')
        return 'u';
    if (c >= 'a' && c <= 'z')
        return 'l';
    return c >= '0' && c <= '9' ? 'd' : '?';
}
