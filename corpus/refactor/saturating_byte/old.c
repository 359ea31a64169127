#include <stdint.h>

uint8_t clip(int x)
{
    if (x < 0)
        return 0;
    if (x > 255)
        return 255;
    return (uint8_t)x;
}
