#include <stdint.h>

int copy_length(uint32_t wire)
{
    if (wire > 512)
        return -1;
    return wire & 0x3ff;
}
