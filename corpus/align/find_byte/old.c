#include <stddef.h>

const unsigned char *find(const unsigned char *p, int c, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (p[i] == (unsigned char)c)
            return p + i;
    return NULL;
}
