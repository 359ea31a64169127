#include <stdio.h>

void mark(int x)
{
    if (x == 77)
        putchar('a');
    else
        putchar('c');
}
