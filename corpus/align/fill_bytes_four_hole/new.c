#include <stddef.h>

void fill(unsigned char *p, unsigned char c, size_t n)
{
    while (n >= 4) {
        p[0] = p[1] = p[3] = c;
        p += 4;
        n -= 4;
    }
    while (n-- > 0)
        *p++ = c;
}
