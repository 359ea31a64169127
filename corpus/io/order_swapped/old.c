#include <stdio.h>

void greet(void)
{
    puts("hello");
    puts("world");
}
