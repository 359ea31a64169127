#include <stdint.h>

int fraction_less(int32_t a, int32_t b, int32_t c, int32_t d)
{
    return (__int128)a * d - (__int128)b * c < 0;
}
