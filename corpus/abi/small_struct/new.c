#include <stdint.h>
#include <string.h>

struct size {
    uint16_t w;
    uint16_t h;
};

uint32_t area(struct size s)
{
    uint32_t word;

    memcpy(&word, &s, sizeof word);
    return (word & 0xffff) * (word >> 16);
}
