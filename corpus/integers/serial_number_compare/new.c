#include <stdint.h>

int seq_before(uint16_t a, uint16_t b)
{
    return (int16_t)(a - b) < 0;
}
