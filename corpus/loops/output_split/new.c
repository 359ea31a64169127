#include <stdio.h>

void show(unsigned char n)
{
    int i = 0;

    while (i != n) {
        if (i % 3)
            printf("%d\n", i);
        else
            puts("fizz");
        ++i;
    }
}
