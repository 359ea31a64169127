#include <stdio.h>

void mark(int x)
{
    if (x == 77)
        fflush(stdout);
    else
        putchar('b');
}
