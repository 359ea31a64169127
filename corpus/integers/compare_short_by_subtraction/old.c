#include <stdint.h>

int cmp16(int16_t a, int16_t b)
{
    int diff = a - b;
    if (diff < 0)
        return -1;
    return diff > 0;
}
