#include <stdint.h>

uint32_t tenth(uint32_t x)
{
    return (uint32_t)(((uint64_t)x * UINT64_C(0xcccccccc)) >> 35);
}
