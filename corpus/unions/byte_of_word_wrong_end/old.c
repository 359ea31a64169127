#include <stdint.h>

uint8_t low(uint32_t w)
{
    return w & 0xff;
}
