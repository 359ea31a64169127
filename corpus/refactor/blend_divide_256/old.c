#include <stdint.h>

uint8_t mul255(uint8_t a, uint8_t b)
{
    return (uint8_t)((a * b + 127) / 255);
}
