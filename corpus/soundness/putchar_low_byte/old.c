#include <stdio.h>

void mark(int x)
{
    if (x == 77)
        putchar(256 + 'a');
    else
        putchar('b');
}
