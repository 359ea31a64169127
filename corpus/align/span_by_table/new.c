#include <stddef.h>

size_t span(const char *s, const char *accept, unsigned char count)
{
    unsigned char listed[256] = {0};
    size_t n = 0;

    if (*s == 0)
        return 0;
    while (count-- > 0)
        listed[(unsigned char)*accept++] = 1;
    while (s[n] != 0 && listed[(unsigned char)s[n]])
        n++;
    return n;
}
