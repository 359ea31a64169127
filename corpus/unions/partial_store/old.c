#include <stdint.h>

uint32_t clear_low(uint32_t w)
{
    union {
        uint32_t w;
        uint16_t h[2];
    } u;
    u.w = w;
    u.h[0] = 0;
    return u.w;
}
