#include <stdint.h>

float to_float(int64_t i)
{
    return (float)(double)i;
}
