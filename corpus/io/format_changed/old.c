#include <stdio.h>

void show(int n)
{
    printf("n = %d\n", n);
}
