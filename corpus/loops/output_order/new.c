#include <stdio.h>

void show(unsigned char n)
{
    int i;

    for (i = n - 1; i >= 0; i--)
        printf("%d\n", i);
}
