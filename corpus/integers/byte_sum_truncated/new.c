#include <stdint.h>

int carry(uint8_t a, uint8_t b)
{
    uint8_t sum = (uint8_t)(a + b);
    return sum >> 8 != 0;
}
