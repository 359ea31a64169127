#include <stdint.h>

int carry(uint32_t a, uint32_t b)
{
    return (int)(((uint64_t)a + b) >> 32);
}
