#include <stdint.h>

void move(unsigned char *to, const unsigned char *from, unsigned short n)
{
    unsigned i;

    if ((uintptr_t)to <= (uintptr_t)from) {
        for (i = 0; i < n; i++)
            to[i] = from[i];
    } else {
        for (i = n; i > 0; i--)
            to[i - 1] = from[i - 1];
    }
}
