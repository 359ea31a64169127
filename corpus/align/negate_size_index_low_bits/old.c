#include <stddef.h>

void invert(unsigned char *p, size_t n)
{
    size_t i;

    for (i = 0; i != n; i++)
        p[i] = ~p[i];
}
