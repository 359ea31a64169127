#include <stddef.h>

const char *find(const char *s, int c)
{
    size_t i = 0;

    while (s[i] != 0 && s[i] != c)
        i++;
    return s[i] == c ? &s[i] : NULL;
}
