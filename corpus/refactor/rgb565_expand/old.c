#include <stdint.h>

uint8_t expand5(uint8_t c)
{
    c &= 31;
    return (uint8_t)(c << 3);
}
