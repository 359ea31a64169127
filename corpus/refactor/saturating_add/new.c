#include <limits.h>

int sat_add(int a, int b)
{
    int s;

    if (!__builtin_add_overflow(a, b, &s))
        return s;
    return b > 0 ? INT_MAX : INT_MIN;
}
