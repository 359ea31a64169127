#include <stddef.h>

const char *find(const char *s, int c)
{
    for (; *s != (char)c; s++)
        if (*s == 0)
            return NULL;
    return s;
}
