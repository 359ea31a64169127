#include <stdint.h>

int tag_equal(uint32_t a, uint32_t b)
{
    unsigned diff = 0;
    diff |= (uint8_t)a ^ (uint8_t)b;
    diff |= (uint8_t)(a >> 8) ^ (uint8_t)(b >> 8);
    diff |= (uint8_t)(a >> 16) ^ (uint8_t)(b >> 16);
    diff |= (uint8_t)(a >> 24) ^ (uint8_t)(b >> 24);
    return diff == 0;
}
