#include <stdint.h>

static unsigned read16(const uint8_t *p)
{
    return p[0] * 256u + p[1];
}

int parse_header(const uint8_t *p, unsigned len)
{
    unsigned header, total;

    if (len < 4)
        return -1;
    if ((p[0] & 0xf0) != 0x40)
        return -1;
    header = (p[0] & 15u) << 2;
    if (header == 0 || header > len)
        return -1;
    total = read16(p + 2);
    if (total < header || total > len)
        return -1;
    return (int)(total - header);
}
