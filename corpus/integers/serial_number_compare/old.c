#include <stdint.h>

int seq_before(uint16_t a, uint16_t b)
{
    return a < b;
}
