#include <stdint.h>

int ones(uint32_t x)
{
    return __builtin_popcount(x);
}
