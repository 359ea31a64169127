#include <stdint.h>

uint32_t low_bits(unsigned n)
{
    if (n == 0)
        return 0;
    return n >= 32 ? UINT32_MAX : UINT32_MAX >> (32 - n);
}
