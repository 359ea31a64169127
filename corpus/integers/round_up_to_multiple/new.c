#include <stdint.h>

uint32_t align8(uint32_t n)
{
    return (n + 7) & ~UINT32_C(7);
}
