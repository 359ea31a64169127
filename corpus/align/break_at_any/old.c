#include <stddef.h>

const char *any(const char *s, const char *set)
{
    const char *p;

    for (; *s != 0; s++)
        for (p = set; *p != 0; p++)
            if (*p == *s)
                return s;
    return NULL;
}
