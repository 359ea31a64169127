#include <stdint.h>

uint64_t bit_set(uint64_t set, unsigned i)
{
    return set | UINT64_C(1) << (i & 63);
}
