#include <stdint.h>

uint32_t bytes_needed(uint32_t count)
{
    return count * 16;
}
