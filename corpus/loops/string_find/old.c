#include <stddef.h>

const char *find(const char *s, char c)
{
    for (; *s != c; s++)
        if (*s == '\0')
            return NULL;
    return s;
}
