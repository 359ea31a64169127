#include <stdint.h>

uint32_t zigzag(int32_t n)
{
    return ((uint32_t)n << 1) ^ ((uint32_t)n >> 31);
}
