#include <stdint.h>

uint8_t low(uint32_t w)
{
    union {
        uint32_t w;
        uint8_t b[4];
    } u;
    u.w = w;
    return u.b[3];
}
