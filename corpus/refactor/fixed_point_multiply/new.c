#include <stdint.h>

int32_t fix_mul(int32_t a, int32_t b)
{
    return (int32_t)(((int64_t)a * b + 0x8000) >> 16);
}
