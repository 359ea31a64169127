#include <stdint.h>

int tag_equal(uint32_t a, uint32_t b)
{
    if ((uint8_t)a != (uint8_t)b)
        return 0;
    if ((uint8_t)(a >> 8) != (uint8_t)(b >> 8))
        return 0;
    if ((uint8_t)(a >> 16) != (uint8_t)(b >> 16))
        return 0;
    return a >> 24 == b >> 24;
}
