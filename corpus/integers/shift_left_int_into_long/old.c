#include <stdint.h>

uint64_t bit(unsigned n)
{
    return UINT64_C(1) << n;
}
