#include <stdint.h>
#include <string.h>

uint32_t read_le(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return v;
}
