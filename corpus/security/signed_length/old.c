#include <stdint.h>

int copy_length(uint32_t wire)
{
    int len = (int)wire;
    if (len > 512)
        return -1;
    return len & 0x3ff;
}
