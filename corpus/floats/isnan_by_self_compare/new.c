#include <math.h>

int is_missing(double x)
{
    return isnan(x) ? 1 : 0;
}
