#include <stdint.h>

int decode2(uint8_t b0, uint8_t b1)
{
    if ((b0 & 0xe0) != 0xc0 || (b1 & 0xc0) != 0x80)
        return -1;
    return (b0 & 0x1f) << 6 | (b1 & 0x3f);
}
