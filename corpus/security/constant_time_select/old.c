#include <stdint.h>

uint32_t select_key(uint32_t bit, uint32_t a, uint32_t b)
{
    if (bit & 1)
        return a;
    return b;
}
