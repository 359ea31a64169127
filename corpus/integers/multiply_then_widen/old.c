#include <stdint.h>

uint64_t area(uint32_t w, uint32_t h)
{
    return (uint64_t)w * h;
}
