#include <stdio.h>

void show(unsigned n)
{
    putchar('0' + (int)(n % 10));
    if (n >= 10)
        show(n / 10);
}
