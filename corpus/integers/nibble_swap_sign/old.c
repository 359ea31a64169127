#include <stdint.h>

uint8_t swap_nibbles(uint8_t b)
{
    return (uint8_t)(b << 4 | b >> 4);
}
