#include <stdbool.h>
#include <stdint.h>

uint64_t bit_assign(uint64_t set, unsigned i, bool on)
{
    if (on)
        return set | UINT64_C(1) << (i & 63);
    return set & ~(UINT64_C(1) << (i & 63));
}
