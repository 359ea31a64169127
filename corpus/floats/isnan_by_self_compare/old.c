#include <math.h>

int is_missing(double x)
{
    return x != x;
}
