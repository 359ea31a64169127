#include <stdio.h>

int verdict(int n)
{
    if (n & 1) {
        puts("odd");
        return 1;
    } else {
        puts("even");
        return 0;
    }
}
