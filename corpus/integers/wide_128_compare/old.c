#include <stdint.h>

int fraction_less(int32_t a, int32_t b, int32_t c, int32_t d)
{
    return (int64_t)a * d < (int64_t)c * b;
}
