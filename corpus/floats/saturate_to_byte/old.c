#include <stdint.h>

uint8_t to_byte(float v)
{
    if (v >= 255.0f)
        return 255;
    if (v > 0.0f)
        return (uint8_t)(int)v;
    return 0;
}
