#include <stddef.h>

void copy(unsigned char *to, const unsigned char *from, size_t n)
{
    for (; n >= 4; n -= 4, to += 4, from += 4) {
        unsigned char a = from[0], b = from[1], c = from[2], d = from[3];

        to[0] = a;
        to[1] = b;
        to[2] = c;
        to[3] = d;
    }
    while (n-- > 0)
        *to++ = *from++;
}
