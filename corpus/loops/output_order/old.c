#include <stdio.h>

void show(unsigned char n)
{
    int i;

    for (i = 0; i < n; i++)
        printf("%d\n", i);
}
