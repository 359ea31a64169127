#include <stdint.h>

uint8_t reverse(uint8_t b)
{
    b = (uint8_t)(b << 4 | b >> 4);
    b = (uint8_t)((b & 0x33) << 2 | (b & 0xcc) >> 2);
    return (uint8_t)((b & 0x55) << 1 | (b & 0xaa) >> 1);
}
