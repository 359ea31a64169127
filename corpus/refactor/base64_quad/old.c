#include <stdint.h>

uint32_t encode_quad(uint8_t a, uint8_t b, uint8_t c)
{
    uint32_t d0 = a >> 2;
    uint32_t d1 = (a & 3) << 4 | b >> 4;
    uint32_t d2 = (b & 15) << 2 | c >> 6;
    uint32_t d3 = c & 63;
    return d0 << 24 | d1 << 16 | d2 << 8 | d3;
}
