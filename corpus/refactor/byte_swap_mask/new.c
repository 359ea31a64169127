#include <stdint.h>

uint32_t swap32(uint32_t x)
{
    return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0x0f00) | x >> 24;
}
