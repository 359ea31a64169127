#include <stdint.h>

uint32_t rotl(uint32_t x, unsigned n)
{
    return (x << (n & 31)) | (x >> (-n & 31));
}
