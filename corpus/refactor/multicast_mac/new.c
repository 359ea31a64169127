#include <stdint.h>

int is_multicast(uint64_t mac)
{
    return (int)(mac & 1);
}
