#include <stddef.h>

unsigned hash(const unsigned char *p, size_t n)
{
    unsigned h = 5381;
    size_t i;

    for (i = 0; i < n; i++)
        h = h * 33 ^ p[i];
    return h;
}
