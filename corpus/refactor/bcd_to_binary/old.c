#include <stdint.h>

int from_bcd(uint8_t b)
{
    return (b >> 4) * 10 + (b & 15);
}
