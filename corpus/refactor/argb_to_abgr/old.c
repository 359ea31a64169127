#include <stdint.h>

uint32_t swap_red_blue(uint32_t c)
{
    return (c & 0xff00ff00u) | (c & 0xff) << 16 | (c >> 16 & 0xff);
}
