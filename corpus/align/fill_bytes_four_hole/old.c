#include <stddef.h>

void fill(unsigned char *p, unsigned char c, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        p[i] = c;
}
