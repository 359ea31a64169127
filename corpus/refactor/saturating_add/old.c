#include <limits.h>

int sat_add(int a, int b)
{
    int s = (int)((unsigned)a + (unsigned)b);

    if (((a ^ s) & (b ^ s)) < 0)
        return a < 0 ? INT_MIN : INT_MAX;
    return s;
}
