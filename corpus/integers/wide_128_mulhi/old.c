#include <stdint.h>

uint64_t mul_high(uint64_t a, uint64_t b)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32;
    uint64_t b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0;
    uint64_t mid1 = a1 * b0 + (low >> 32);
    uint64_t mid2 = a0 * b1 + (uint32_t)mid1;
    return a1 * b1 + (mid1 >> 32) + (mid2 >> 32);
}
