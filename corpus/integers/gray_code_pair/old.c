#include <stdint.h>

static const uint8_t binary[16] = {
    0, 1, 3, 2, 7, 6, 4, 5, 15, 14, 12, 13, 8, 9, 11, 10,
};

unsigned from_gray(unsigned g)
{
    return binary[g & 15];
}
