#include <stdint.h>

uint32_t zigzag(int32_t n)
{
    if (n < 0)
        return 2 * ~(uint32_t)n + 1;
    return 2 * (uint32_t)n;
}
