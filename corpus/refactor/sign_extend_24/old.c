#include <stdint.h>

int32_t sample24(uint32_t raw)
{
    return (int32_t)(raw << 8) >> 8;
}
