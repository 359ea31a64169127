#include <stdint.h>

uint32_t hash_step(uint32_t h, char c)
{
    return h * 33u + (unsigned char)c;
}
