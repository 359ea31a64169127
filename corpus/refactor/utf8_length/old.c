#include <stdint.h>

int utf8_length(uint32_t cp)
{
    if (cp < 0x80)
        return 1;
    if (cp < 0x800)
        return 2;
    if (cp < 0x10000)
        return 3;
    if (cp < 0x110000)
        return 4;
    return -1;
}
