#include <stdint.h>

int varint_length(uint32_t v)
{
    if (v < 1u << 7)
        return 1;
    if (v < 1u << 14)
        return 2;
    if (v < 1u << 21)
        return 3;
    if (v < 1u << 28)
        return 4;
    return 5;
}
