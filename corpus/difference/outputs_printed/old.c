#include <stdio.h>

int f(int x)
{
    if (x > 3)
        puts("large");
    return x;
}
