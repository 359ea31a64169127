#include <stdio.h>

int share(double part, double whole)
{
    printf("%.1f %%\n", part / whole * 100.0);
    return whole == 0.0 && part != 0.0;
}
