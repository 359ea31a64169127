#include <stdint.h>

int negative(float x)
{
    union {
        float f;
        uint32_t w;
    } u;
    if (x != x)
        return 0;
    u.f = x;
    return u.w >> 31;
}
