#include <stddef.h>

size_t length(const char *s)
{
    const char *p = s;

    while (*p++ != 0)
        ;
    return p - s;
}
