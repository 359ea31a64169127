#include <stdint.h>

uint16_t pack565(uint8_t r, uint8_t g, uint8_t b)
{
    return (uint16_t)((r & 0xf8) << 8 | (g & 0xfc) << 3 | b >> 3);
}
