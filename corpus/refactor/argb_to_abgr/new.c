#include <stdint.h>

uint32_t swap_red_blue(uint32_t c)
{
    uint32_t r = __builtin_bswap32(c);
    return r >> 8 | r << 24;
}
