#include <stdint.h>

void copy_pair(uint16_t *p, const uint16_t *q)
{
    uint16_t a = q[0];
    uint16_t b = q[1];
    p[0] = a;
    p[1] = b;
}
