#include <stdint.h>

int carry(uint8_t a, uint8_t b)
{
    unsigned sum = a + b;
    return sum > 255;
}
