#include <stdint.h>

int varint_length(uint32_t v)
{
    int bits = 32 - __builtin_clz(v | 1);
    return (bits + 6) / 7;
}
