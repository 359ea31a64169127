#include <stddef.h>

void copy(unsigned char *to, const unsigned char *from, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        to[i] = from[i];
}
