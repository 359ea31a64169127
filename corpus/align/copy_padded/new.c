#include <stddef.h>

void copy(char *restrict to, const char *restrict from, size_t n)
{
    size_t i;

    for (i = 0; i < n && from[i] != 0; i++)
        to[i] = from[i];
    for (; i < n; i++)
        to[i] = 0;
}
