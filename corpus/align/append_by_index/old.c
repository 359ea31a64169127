char *append(char *to, const char *from)
{
    char *p = to;

    while (*p != 0)
        p++;
    while ((*p++ = *from++) != 0)
        ;
    return to;
}
