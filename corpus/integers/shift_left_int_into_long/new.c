#include <stdint.h>

uint64_t bit(unsigned n)
{
    return (uint64_t)(1 << n);
}
