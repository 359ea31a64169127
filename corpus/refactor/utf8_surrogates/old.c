#include <stdint.h>

int utf8_length(uint32_t cp)
{
    if (cp > 0x10ffff)
        return -1;
    return 1 + (cp > 0x7f) + (cp > 0x7ff) + (cp > 0xffff);
}
