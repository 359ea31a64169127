#include <stdio.h>

int show(int x)
{
    int width;

    width = 1;
    if (x > 9)
        width++;
    if (x > 99) {
        width++;
        putchar('!');
    }
    puts("value");
    putchar('0' + (x & 7));
    return width;
}
