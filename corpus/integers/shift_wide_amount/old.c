#include <stdint.h>

uint32_t low_bits(unsigned n)
{
    return n == 0 ? 0 : UINT32_MAX >> (32 - n);
}
