#include <stddef.h>

void invert(unsigned char *p, size_t n)
{
    unsigned char *end = p + n;

    for (; p != end; p++)
        *p ^= 0xff;
}
