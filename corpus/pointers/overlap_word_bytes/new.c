#include <stdint.h>

void put32(uint8_t *p, uint8_t *len, uint32_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
    p[2] = (uint8_t)(v >> 16);
    p[3] = (uint8_t)(v >> 24);
    *len += 4;
}
