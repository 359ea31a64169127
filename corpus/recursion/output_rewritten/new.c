#include <stdio.h>

void show(unsigned n)
{
    unsigned q = n / 10;

    if (q != 0)
        show(q);
    putchar((int)(n - 10 * q) + '0');
}
