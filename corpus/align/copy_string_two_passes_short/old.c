void copy(char *restrict to, const char *restrict from)
{
    while ((*to++ = *from++) != 0)
        ;
}
