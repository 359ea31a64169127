int order(const char *a, const char *b)
{
    for (; *a != 0 && *a == *b; a++, b++)
        ;
    if (*a == *b)
        return 0;
    return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
}
