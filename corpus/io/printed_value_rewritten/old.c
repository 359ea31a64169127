#include <stdio.h>

void show(int n)
{
    printf("%d of %d\n", n, n + n);
}
