#include <stdio.h>
#include <stdlib.h>

void fail(void)
{
    abort();
}
