#include <stddef.h>

void copy(unsigned char *restrict to, const unsigned char *restrict from, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        to[i] = from[i];
}
