#include <stdint.h>

int parse_header(const uint8_t *p, unsigned len)
{
    int result = -1;

    if (len >= 4) {
        unsigned version = p[0] >> 4;
        unsigned words = p[0] & 0x0f;
        if (version == 4) {
            if (words * 4 >= 4 && words * 4 <= len) {
                unsigned total = (unsigned)p[2] << 8 | p[3];
                if (total >= words * 4 && total <= len)
                    result = (int)(total - words * 4);
            }
        }
    }
    return result;
}
