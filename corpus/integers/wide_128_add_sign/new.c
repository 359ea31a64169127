#include <stdint.h>

int64_t sum_high(uint64_t a, uint64_t b)
{
    return (int64_t)(((__int128)(int64_t)a + (int64_t)b) >> 64);
}
