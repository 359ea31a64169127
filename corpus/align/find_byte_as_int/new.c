#include <stddef.h>

const unsigned char *find(const unsigned char *p, int c, size_t n)
{
    int x = c;

    for (; n != 0 && *p != x; n--)
        p++;
    return n != 0 ? p : NULL;
}
