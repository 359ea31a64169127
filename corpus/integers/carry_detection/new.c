#include <stdint.h>

int carry(uint32_t a, uint32_t b)
{
    return a + b < a;
}
