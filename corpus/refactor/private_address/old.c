#include <stdint.h>

int is_private(uint32_t ip)
{
    return (ip & 0xff000000u) == 0x0a000000u || (ip & 0xfff00000u) == 0xac100000u || (ip & 0xffff0000u) == 0xc0a80000u;
}
