#include <stdint.h>

uint32_t clear_low(uint32_t w)
{
    return w & 0xffff0000u;
}
