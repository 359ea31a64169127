#include <stddef.h>

unsigned hash(const unsigned char *p, size_t n)
{
    unsigned h = 5381;

    for (; n >= 4; n -= 4, p += 4) {
        h = h * 33 ^ p[0];
        h = h * 33 ^ p[1];
        h = h * 33 ^ p[2];
        h = h * 33 ^ p[3];
    }
    while (n-- > 0)
        h = h * 33 ^ *p++;
    return h;
}
