#include <stdint.h>

uint8_t clip(int x)
{
    if (x & ~255)
        return (uint8_t)(~x >> 31);
    return (uint8_t)x;
}
