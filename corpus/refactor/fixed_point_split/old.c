#include <stdint.h>

uint32_t fix_tenths(uint32_t x)
{
    uint32_t whole = x >> 16;
    uint32_t frac = x & 0xffff;
    return whole * 10 + (frac * 10 >> 16);
}
