#include <stdio.h>

static int width_of(int x)
{
    int width = 1;

    if (x > 9)
        width++;
    if (x > 99) {
        width++;
        putchar('!');
    }
    return width;
}

int show(int x)
{
    int width;

    puts("value");
    putchar('0' + (x & 7));
    width = width_of(x);
    return width;
}
