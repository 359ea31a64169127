#include <limits.h>

int sat_add(int a, int b)
{
    long s = (long)a + b;

    if (s > INT_MAX)
        return INT_MAX;
    if (s < -INT_MAX)
        return -INT_MAX;
    return (int)s;
}
