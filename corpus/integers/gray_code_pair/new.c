#include <stdint.h>

unsigned from_gray(unsigned g)
{
    g &= 15;
    g ^= g >> 2;
    g ^= g >> 1;
    return g;
}
