#include <stdint.h>

int from_bcd(uint8_t b)
{
    return b - 6 * (b >> 4);
}
