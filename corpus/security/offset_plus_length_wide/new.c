#include <stdint.h>

int range_ok(uint32_t offset, uint32_t length, uint32_t size)
{
    return (uint64_t)offset + length <= size;
}
