#include <stdio.h>

void mark(int x)
{
    if (x == 77)
        putc('a', stdout);
    else
        putchar('b');
}
