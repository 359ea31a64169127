#include <stdint.h>

uint8_t swap_nibbles(uint8_t b)
{
    signed char s = (signed char)b;
    return (uint8_t)(s << 4 | s >> 4);
}
