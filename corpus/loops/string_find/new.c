#include <stddef.h>

const char *find(const char *s, char c)
{
    for (; *s != '\0'; s++)
        if (*s == c)
            return s;
    return NULL;
}
