#include <stdint.h>

void move(unsigned char *to, const unsigned char *from, unsigned short n)
{
    if ((uintptr_t)to - (uintptr_t)from >= n) {
        while (n-- > 0)
            *to++ = *from++;
    } else {
        while (n-- > 0)
            to[n] = from[n];
    }
}
