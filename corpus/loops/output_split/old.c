#include <stdio.h>

void show(unsigned char n)
{
    int i;

    for (i = 0; i < n; i++) {
        if (i % 3 == 0)
            puts("fizz");
        else
            printf("%d\n", i);
    }
}
