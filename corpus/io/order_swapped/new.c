#include <stdio.h>

void greet(void)
{
    puts("world");
    puts("hello");
}
