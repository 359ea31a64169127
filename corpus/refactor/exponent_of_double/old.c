#include <stdint.h>

int exponent(uint64_t bits)
{
    return (int)(bits >> 52 & 0x7ff) - 1023;
}
