#include <stdint.h>

uint64_t align8(uint64_t n)
{
    return (n + 7) & ~UINT64_C(7);
}
