#include <stdint.h>

uint8_t to_byte(float v)
{
    if (!(v > 0.0f))
        return 0;
    return v < 255.0f ? (uint8_t)(int)v : 255;
}
