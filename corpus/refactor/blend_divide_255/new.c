#include <stdint.h>

uint8_t mul255(uint8_t a, uint8_t b)
{
    unsigned t = a * b + 128u;
    return (uint8_t)((t + (t >> 8)) >> 8);
}
