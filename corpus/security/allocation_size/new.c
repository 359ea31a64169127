#include <stdint.h>

uint32_t bytes_needed(uint32_t count)
{
    if (count > UINT32_MAX / 16)
        return UINT32_MAX;
    return count * 16;
}
