#include <stdint.h>

uint32_t align8(uint32_t n)
{
    return (n + 7) / 8 * 8;
}
