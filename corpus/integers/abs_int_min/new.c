#include <limits.h>

unsigned magnitude(int x)
{
    if (x == INT_MIN)
        return INT_MAX;
    return x < 0 ? (unsigned)-x : (unsigned)x;
}
