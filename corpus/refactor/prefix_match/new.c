#include <stdint.h>

int in_prefix(uint32_t ip, uint32_t net, uint8_t len)
{
    uint32_t mask;

    if (len > 32)
        return 0;
    mask = len == 0 ? 0 : UINT32_MAX << (32 - len);
    return ((ip ^ net) & mask) == 0;
}
