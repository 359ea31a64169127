#include <limits.h>

unsigned magnitude(int x)
{
    return x < 0 ? (unsigned)-x : (unsigned)x;
}
