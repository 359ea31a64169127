#include <stdio.h>

void show(signed char c)
{
    printf("%d\n", c);
}
