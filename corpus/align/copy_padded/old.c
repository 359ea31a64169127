#include <stddef.h>

void copy(char *restrict to, const char *restrict from, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++) {
        to[i] = *from;
        if (*from != 0)
            from++;
    }
}
