#include <stdint.h>

int tag_equal(uint32_t a, uint32_t b)
{
    return a == b;
}
