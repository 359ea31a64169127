#include <stdio.h>

void show(int a, int b)
{
    printf("%d-%d\n", b, a);
}
