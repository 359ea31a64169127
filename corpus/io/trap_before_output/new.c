#include <stdio.h>

int ratio(unsigned x)
{
    unsigned r = 100u / x;
    puts("dividing");
    return (int)r;
}
