#include <stdint.h>

uint32_t fix_tenths(uint32_t x)
{
    uint32_t whole = x / 65536;
    uint32_t tenths = (x % 65536) * 10 / 65536;
    return 10 * whole + tenths;
}
