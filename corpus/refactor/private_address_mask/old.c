#include <stdint.h>

int is_private(uint32_t ip)
{
    return ip >> 24 == 10 || ip >> 20 == 0xac1 || ip >> 16 == 0xc0a8;
}
