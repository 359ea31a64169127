#include <stdio.h>

void show(int n)
{
    printf("n = %u\n", (unsigned)n);
}
