#include <stdint.h>

int payload_length(const uint8_t *p, unsigned len)
{
    if (len < 3 || p[0] != 1)
        return -1;
    return p[1] << 8 | p[2];
}
