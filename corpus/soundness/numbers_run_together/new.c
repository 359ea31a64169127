#include <stdio.h>

void show(unsigned char a, unsigned char b)
{
    printf("%d%d\n", b, a);
}
