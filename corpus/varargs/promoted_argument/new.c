#include <stdio.h>

void show(signed char c)
{
    int wide = c;
    printf("%d\n", wide);
}
