#include <stdint.h>

float to_float(int32_t i)
{
    return (float)(double)i;
}
