#include <stdint.h>

int32_t sample24(uint32_t raw)
{
    raw &= 0xffffff;
    return (int32_t)((raw ^ 0x800000) - 0x800000);
}
