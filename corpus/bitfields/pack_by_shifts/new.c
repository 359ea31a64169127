#include <stdint.h>
#include <string.h>

uint32_t pack(uint32_t y, uint32_t m, uint32_t d)
{
    return (d & 31) | (m & 15) << 5 | y << 9;
}
