#include <stdint.h>

int cmp16(int16_t a, int16_t b)
{
    return (a > b) - (a < b);
}
