#include <limits.h>

int size_ok(unsigned a, unsigned b)
{
    if (b != 0 && a > UINT_MAX / b)
        return 0;
    return 1;
}
