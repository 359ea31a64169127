#include <stdint.h>

int is_private(uint32_t ip)
{
    if (ip >> 24 == 10)
        return 1;
    if (ip >= 0xac100000u && ip <= 0xac1fffffu)
        return 1;
    return ip >> 16 == 0xc0a8;
}
