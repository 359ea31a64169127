#include <stdint.h>

uint8_t grey(uint8_t r, uint8_t g, uint8_t b)
{
    return (uint8_t)((77 * r + 150 * g + 29 * b) >> 8);
}
