#include <stdio.h>

int verdict(int n)
{
    int odd = n & 1;
    if (!odd)
        puts("even");
    if (odd)
        puts("odd");
    return odd;
}
