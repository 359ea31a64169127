char *copy(char *to, const char *from)
{
    char *p = to;

    while ((*p++ = *from++) != 0)
        ;
    return to;
}
