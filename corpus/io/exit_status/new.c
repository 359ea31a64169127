#include <stdio.h>
#include <stdlib.h>

void fatal(void)
{
    puts("fatal");
    exit(1);
}
