char class_of(int c)
{
    if (c >= '0' && c <= '9')
        return 'd';
    if (c >= 'a' && c <= 'z')
        return 'l';
    if (c >= 'A' && c <= 'Z')
        return 'u';
    return '?';
}
