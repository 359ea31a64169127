#include <stdint.h>

uint64_t shift_right_high(uint64_t hi, uint64_t lo, unsigned n)
{
    n &= 63;
    return (uint64_t)(((unsigned __int128)hi << 64 | lo) >> n);
}
