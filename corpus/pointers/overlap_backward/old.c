#include <stdint.h>

void copy_pair(uint16_t *p, const uint16_t *q)
{
    p[0] = q[0];
    p[1] = q[1];
}
