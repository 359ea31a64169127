#include <stdio.h>

void show(unsigned n)
{
    if (n >= 10)
        show(n / 10);
    putchar('0' + (int)(n % 10));
}
