#include <stdio.h>

int ratio(unsigned x)
{
    puts("dividing");
    return (int)(100u / x);
}
