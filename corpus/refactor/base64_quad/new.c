#include <stdint.h>

uint32_t encode_quad(uint8_t a, uint8_t b, uint8_t c)
{
    uint32_t w = (uint32_t)a << 16 | (uint32_t)b << 8 | c;
    return (w >> 18) << 24 | (w >> 12 & 63) << 16 | (w >> 6 & 63) << 8 | (w & 63);
}
