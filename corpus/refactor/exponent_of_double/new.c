#include <stdint.h>

int exponent(uint64_t bits)
{
    int e = (int)(bits >> 52 & 0x7ff);
    return e == 0 ? -1022 : e - 1023;
}
