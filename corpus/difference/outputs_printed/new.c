#include <stdio.h>

int f(int x)
{
    if (x > 5)
        puts("large");
    return x;
}
