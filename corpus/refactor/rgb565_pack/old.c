#include <stdint.h>

uint16_t pack565(uint8_t r, uint8_t g, uint8_t b)
{
    return (uint16_t)((r >> 3) << 11 | (g >> 2) << 5 | b >> 3);
}
