#include <stddef.h>

void copy(char *restrict to, const char *restrict from)
{
    size_t i, n = 0;

    while (from[n] != 0)
        n++;
    for (i = 0; i < n; i++)
        to[i] = from[i];
}
