#include <stdio.h>

void show(int n)
{
    int twice = (int)((unsigned)n << 1);
    printf("%d of %d\n", n, twice);
}
