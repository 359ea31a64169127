#include <stdint.h>

int negative(float x)
{
    if (x != x)
        return 0;
    return x < 0;
}
