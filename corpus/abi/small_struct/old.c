#include <stdint.h>
#include <string.h>

struct size {
    uint16_t w;
    uint16_t h;
};

uint32_t area(struct size s)
{
    return (uint32_t)s.w * s.h;
}
