#include <stdint.h>

int64_t sum_high(uint64_t a, uint64_t b)
{
    return (int64_t)(((unsigned __int128)a + b) >> 64);
}
