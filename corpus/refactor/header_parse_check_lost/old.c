#include <stdint.h>

int payload_length(const uint8_t *p, unsigned len)
{
    unsigned claimed;

    if (len < 3 || p[0] != 1)
        return -1;
    claimed = (unsigned)p[1] << 8 | p[2];
    if (claimed > len - 3)
        return -1;
    return (int)claimed;
}
