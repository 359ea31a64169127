#include <stdint.h>

uint64_t area(uint16_t w, uint16_t h)
{
    return (uint32_t)w * h;
}
