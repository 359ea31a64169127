#include <stdint.h>

uint32_t add(uint32_t x, uint32_t y)
{
    return (x ^ y) + 2 * (x & y);
}
